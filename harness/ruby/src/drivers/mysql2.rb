# frozen_string_literal: true

require 'mysql2'

module Assay
  # The gem mysql2, on the C library of MariaDB or MySQL that it was compiled with.
  class Mysql2Driver
    NUMBERS = %w[connect_timeout read_timeout write_timeout].freeze
    SWITCHES = %w[cast cast_booleans cache_rows].freeze
    FLAGS = %w[COMPRESS FOUND_ROWS].freeze

    def name = 'mysql2'
    def versions = [Mysql2::VERSION]

    def library
      # From 3.0 to 3.x it is the one of MariaDB; MySQL's follows the numbers of its server.
      version = Mysql2::Client.info[:version]
      version.start_with?('3.') ? "MariaDB Connector/C #{version}" : "libmysqlclient #{version}"
    end

    def schemes
      {
        'SingleRow' => 'query() of a text into which escape() wrote the parameters: COM_QUERY',
        'Prepared' => 'prepare() once, execute() for each row: COM_STMT_EXECUTE',
        'MultiRow' => 'query() of one INSERT with the escaped rows of a chunk: COM_QUERY',
        'MultiStatement' => 'query() of the statements of a chunk, next_result() for all answers: one COM_QUERY',
        'InList' => 'query() of one text with the keys of a chunk: COM_QUERY'
      }
    end

    def check(target)
      target.options.each do |name, value|
        good = case name
               when *NUMBERS then value.match?(/\A\d+\z/)
               when *SWITCHES then %w[true false].include?(value)
               when 'flags' then (value.split - FLAGS).empty?
               else raise Unsupported, "mysql2 has no option #{name} here; known are: #{(NUMBERS + SWITCHES).join(', ')}, flags"
               end
        raise Unsupported, "option #{name} cannot be: #{value}" unless good
      end
    end

    def open(target)
      options = { host: target.address, port: target.port, username: target.user, password: target.password,
                  encoding: 'utf8mb4', as: :array, flags: ['MULTI_STATEMENTS'] }
      options[:database] = target.database unless target.database.empty?
      if target.tls
        options.update(ssl_mode: :verify_identity, sslca: target.authority)
      else
        options[:ssl_mode] = :disabled
      end
      Mysql2Session.new(Mysql2::Client.new(options.merge(own(target.options)) { |name, ours, theirs| name == :flags ? ours + theirs : theirs }))
    end

    def cannot_log_in?(error)
      # 2059: the library has no such plugin. 1251: the server says that the client is too old for it.
      error.is_a?(Mysql2::Error) && [2059, 1251].include?(error.error_number)
    end

    private

    # The options of the request in the types that the driver takes.
    def own(options)
      options.to_h do |name, value|
        [name.to_sym,
         case name
         when *NUMBERS then value.to_i
         when *SWITCHES then value == 'true'
         else value.split
         end]
      end
    end
  end

  # One connection.
  class Mysql2Session
    def initialize(client)
      @client = client
      @prepared = []
    end

    def operation(scheme, work)
      case scheme
      when 'SingleRow' then work.each_row(single(work))
      when 'Prepared' then work.each_row(work.inline? ? prepared_each_time(work) : prepared(work))
      when 'MultiRow' then repeated(work, work.template.multi_row)
      when 'InList' then repeated(work, work.template.in_list)
      when 'MultiStatement' then several(work)
      else raise Unsupported, "mysql2 has no scheme #{scheme}"
      end
    end

    def autocommit(on)
      @client.query("SET autocommit=#{on ? 1 : 0}")
    end

    def commit
      @client.query('COMMIT')
    end

    def cipher
      @client.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'").first&.at(1) || ''
    end

    # Ruby would close statements some time later, when it collects garbage.
    def release
      @prepared.each(&:close) unless @client.closed?
      @prepared.clear
    end

    def close
      @client.close
    end

    private

    # One row by one text. A number that is to be written inline is written like every other.
    def single(work)
      client = @client
      text = work.template.text
      if work.rows.empty?
        return -> { work.take(client.query(text).to_a) } if work.query?

        return -> { client.query(text) }
      end
      parts = work.template.parts
      return -> { work.take(client.query(filled(parts, work.next_row)).to_a) } if work.query?

      -> { client.query(filled(parts, work.next_row)) }
    end

    # Rows of a chunk in one text.
    def repeated(work, repeated)
      work.in_chunks(lambda do |count|
        result = @client.query(chunk(work, repeated, count))
        work.take(result.to_a) if work.query?
      end)
    end

    # Statements of a chunk in one text; their answers come one after another.
    def several(work)
      repeated = work.template.joined
      work.in_chunks(lambda do |count|
        result = @client.query(chunk(work, repeated, count))
        work.take(result.to_a) if work.query?
        while @client.next_result
          result = @client.store_result
          work.take(result.to_a) if work.query?
        end
      end)
    end

    def chunk(work, repeated, count)
      groups = Array.new(count) { filled(repeated.parts, work.rows.empty? ? [] : work.next_row) }
      "#{repeated.before}#{groups.join(repeated.separator)}#{repeated.after}"
    end

    # The parts of a text with the values between them, as MySQL wants them written.
    def filled(parts, row)
      text = +parts[0]
      row.each_with_index do |value, i|
        case value
        when String then text << "'" << @client.escape(value) << "'"
        when nil then text << 'NULL'
        else text << value.to_s
        end
        text << parts[i + 1]
      end
      text
    end

    def prepared(work)
      statement = @client.prepare(work.template.text)
      @prepared << statement
      if work.rows.empty?
        return -> { work.take(statement.execute.to_a) } if work.query?

        return -> { statement.execute }
      end
      return -> { work.take(statement.execute(*work.next_row).to_a) } if work.query?

      -> { statement.execute(*work.next_row) }
    end

    # With a number in the text, each text is another, and so each is prepared by itself.
    def prepared_each_time(work)
      lambda do
        first, *rest = work.next_row
        statement = @client.prepare(work.template.inlined(first))
        result = statement.execute(*rest)
        work.take(result.to_a) if work.query?
        statement.close
      end
    end
  end
end
