# frozen_string_literal: true

module Assay
  PROTOCOL = 'assay.dev/driver/v1'

  # Answers line by line until the input ends. Returns the exit code.
  def self.serve(input, output, conversation)
    output.sync = true
    input.set_encoding(Encoding::UTF_8)
    while (line = input.gets)
      request = begin
        JSON.parse(line)
      rescue JSON::ParserError
        nil
      end
      unless request.is_a?(Hash) && request['id'].is_a?(Integer)
        # There is no id to answer to, and a guess would be taken for the answer to something else.
        warn "harness: a line is no request in JSON with an id: #{line}"
        return 1
      end
      output.write(JSON.generate(conversation.answer(request)) << "\n")
    end
    conversation.close
    0
  end

  # The requests of one agent and their answers.
  class Conversation
    def initialize(drivers)
      @drivers = drivers
      @connections = {}
      @data = {}
    end

    def answer(request)
      { id: request['id'], state: 'ok' }.merge(act(request))
    rescue Unsupported => e
      { id: request['id'], state: 'unsupported', reason: words(e) }
    rescue StandardError => e
      { id: request['id'], state: 'failed', reason: words(e) }
    end

    def close
      @connections.each_value(&:drop)
      @connections.clear
    end

    private

    def act(request)
      case request['do']
      when 'hello' then hello(request)
      when 'data' then keep(request)
      when 'prepare' then prepare(request)
      when 'run' then run(request)
      when 'close' then forget(request)
      else raise Unsupported, "the request #{request['do'].inspect} is not known"
      end
    end

    def hello(request)
      raise Unsupported, "this harness speaks #{PROTOCOL}, not #{request['protocol']}" if request['protocol'] != PROTOCOL

      drivers = @drivers.map { |driver| { name: driver.name, versions: driver.versions, schemes: driver.schemes } }
      { protocol: PROTOCOL, language: 'Ruby', runtime: RUBY_VERSION, clock: 'Process.clock_gettime(CLOCK_MONOTONIC)', drivers: drivers }
    end

    def keep(request)
      rows = request.fetch('rows')
      rows.each_with_index do |row, i|
        next if row.all? { |value| value.nil? || value.is_a?(Numeric) || value.is_a?(String) }

        raise Unsupported, "row #{i}: a value is neither a number nor a text nor null"
      end
      @data[request.fetch('name')] = rows
      { rows: rows.size }
    end

    def prepare(request)
      driver = @drivers.find { |known| known.name == request['driver'] }
      raise Unsupported, "there is no driver #{request['driver']} in Ruby here" unless driver

      version = request['version'].to_s
      version = driver.versions[0] if version.empty?
      unless driver.versions.include?(version)
        raise Unsupported, "#{driver.name} is here in version #{driver.versions.join(', ')}, not #{version}"
      end
      name = request.fetch('connection')
      connection = Connection.new(driver, target(request, driver))
      driver.check(connection.target)
      @connections.delete(name)&.drop
      cipher = encrypted(connection)
      @connections[name] = connection
      { version: version, library: driver.library, cipher: cipher }
    end

    # Opens the connection and returns its cipher, which has to be there exactly if it was asked for.
    def encrypted(connection)
      driver = connection.driver
      cipher = begin
        connection.session.cipher
      rescue StandardError => e
        raise driver.cannot_log_in?(e) ? Unsupported.new(words(e)) : e
      end
      return cipher if driver.name == 'null' || cipher.empty? != connection.target.tls

      connection.drop
      raise Malformed, "tls is to be #{connection.target.tls ? 'Required' : 'Disabled'}, but the cipher of the connection is '#{cipher}'"
    end

    def target(request, driver)
      tls = request.fetch('tls', 'Disabled')
      raise Unsupported, "tls #{tls} is not known; known are Disabled, Required" unless %w[Disabled Required].include?(tls)

      authority = ENV.fetch('ASSAY_CA', '')
      if tls == 'Required' && driver.name != 'null' && !File.readable?(authority)
        raise Malformed, "tls Required needs a readable file with the certificate authority; ASSAY_CA names '#{authority}'"
      end
      Target.new(host: request.fetch('host', ''), port: request.fetch('port', 3306), database: request.fetch('database', ''),
                 tls: tls == 'Required', options: request.fetch('options', {}),
                 user: ENV.fetch('ASSAY_USERNAME', ''), password: ENV.fetch('ASSAY_PASSWORD', ''), authority: authority)
    end

    def run(request)
      connection = connection_of(request)
      begin
        Run.new(request, connection, @data).answer
      rescue Unsupported, Malformed
        raise # before anything was sent
      rescue StandardError
        connection.drop
        raise
      end
    end

    def forget(request)
      connection_of(request).drop
      @connections.delete(request['connection'])
      {}
    end

    def connection_of(request)
      @connections[request['connection']] || raise(Malformed, "there is no connection of the name #{request['connection']}")
    end

    # What a driver says may be cut inside a character; an answer is UTF-8.
    def words(error)
      number = error.respond_to?(:error_number) ? error.error_number : nil
      text = error.message.dup.force_encoding(Encoding::UTF_8).scrub
      text = error.class.name if text.empty?
      number ? "#{number}: #{text}" : text
    end
  end
end
