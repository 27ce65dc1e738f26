# frozen_string_literal: true

require 'mysql2'

module Assay
  # The gem mysql2, on the C library of MariaDB or MySQL that it was compiled with.
  class Mysql2Driver
    def name = 'mysql2'
    def version = Mysql2::VERSION

    def library
      # From 3.0 to 3.x it is the one of MariaDB; MySQL's follows the numbers of its server.
      version = Mysql2::Client.info[:version]
      version.start_with?('3.') ? "MariaDB Connector/C #{version}" : "libmysqlclient #{version}"
    end

    def can
      {
        'SingleRow' => 'query() of a text into which escape() wrote the parameters: COM_QUERY',
        'Prepared' => 'prepare() once, execute() for each row: COM_STMT_EXECUTE',
        'MultiRow' => 'query() of one INSERT with the escaped rows of a chunk: COM_QUERY',
        'MultiStatement' => 'query() of the statements of a chunk, next_result() for all answers: one COM_QUERY',
        'InList' => 'query() of one text with the keys of a chunk: COM_QUERY',
        'Concurrency' => CONCURRENCY
      }
    end

    def cannot
      {
        'Pool' => 'it has no pool of connections; gems above it have one',
        'Encode' => 'it has no public function that writes a row of parameters into a statement'
      }
    end

    def options
      { connect_timeout: 'integer', read_timeout: 'integer', write_timeout: 'integer',
        cast: 'boolean', cast_booleans: 'boolean', cache_rows: 'boolean', flags: 'text' }
    end

    def open(target)
      # The C library takes the name localhost for a Unix socket; the protocol speaks of hosts and ports.
      host = target[:host] == 'localhost' ? '127.0.0.1' : target[:host]
      options = { host: host, port: target[:port], username: ENV.fetch('ASSAY_USERNAME'), password: ENV.fetch('ASSAY_PASSWORD'),
                  encoding: 'utf8mb4', as: :array, flags: ['MULTI_STATEMENTS'] }
      options[:database] = target[:database] unless target[:database].empty?
      if target[:tls]
        options.update(ssl_mode: :verify_identity, sslca: ENV.fetch('ASSAY_CA'))
      else
        options[:ssl_mode] = :disabled
      end
      Mysql2Session.new(Mysql2::Client.new(options.merge(own(target[:options])) { |name, ours, theirs| name == :flags ? ours + theirs : theirs }))
    end

    private

    # The options of the request in the types that the driver takes. It would pass over flags that it does not know.
    def own(given)
      unknown = given.fetch(:flags, '').split - %w[COMPRESS FOUND_ROWS]
      raise ArgumentError, "mysql2 has no flags #{unknown.join(' ')} here; it has: COMPRESS FOUND_ROWS" unless unknown.empty?

      given.to_h do |name, value|
        [name, { 'integer' => -> { value.to_i }, 'boolean' => -> { value == 'true' }, 'text' => -> { value.split } }.fetch(options.fetch(name)).call]
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
      when 'Prepared' then work.each_row(prepared(work))
      when 'MultiStatement' then several(work)
      else repeated(work)
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
      text = work.text
      if work.rows.empty?
        return -> { work.take(client.query(text).to_a) } if work.query?

        return -> { client.query(text) }
      end
      parts = work.parts
      return -> { work.take(client.query(filled(parts, work.next_row)).to_a) } if work.query?

      -> { client.query(filled(parts, work.next_row)) }
    end

    # Rows of a chunk in one text.
    def repeated(work)
      work.in_chunks(->(count) { @client.query(chunk(work, count)) })
    end

    # Statements of a chunk in one text; their answers come one after another.
    def several(work)
      work.in_chunks(lambda do |count|
        @client.query(chunk(work, count))
        @client.store_result while @client.next_result
      end)
    end

    def chunk(work, count)
      groups = Array.new(count) { filled(work.group, work.next_row) }
      "#{work.head}#{groups.join(work.separator)}#{work.tail}"
    end

    # The parts of a text with the values between them, as MySQL wants them written.
    def filled(parts, row)
      text = +parts[0]
      row.each_with_index do |value, i|
        case value
        when String then text << "'" << @client.escape(value) << "'"
        else text << value.to_s
        end
        text << parts[i + 1]
      end
      text
    end

    def prepared(work)
      statement = @client.prepare(work.text)
      @prepared << statement
      if work.rows.empty?
        return -> { work.take(statement.execute.to_a) } if work.query?

        return -> { statement.execute }
      end
      return -> { work.take(statement.execute(*work.next_row).to_a) } if work.query?

      -> { statement.execute(*work.next_row) }
    end
  end
end
