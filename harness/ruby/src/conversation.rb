# frozen_string_literal: true

module Assay
  # Answers line by line until the input ends.
  def self.serve(input, output, conversation)
    output.sync = true
    input.set_encoding(Encoding::UTF_8)
    while (line = input.gets)
      output.write(JSON.generate(conversation.answer(JSON.parse(line, symbolize_names: true))) << "\n")
    end
    conversation.close
  end

  # A connection of prepare: a session for each worker. None of them is left after something went wrong on one.
  Connection = Struct.new(:driver, :target, :sessions)

  # The requests of one agent and their answers. Requests are as the protocol says, so nothing in them is checked.
  class Conversation
    def initialize(drivers)
      @drivers = drivers
      @connections = {}
      @data = {}
    end

    def answer(request)
      { id: request[:id], state: 'ok' }.merge(act(request))
    rescue StandardError => e
      refusal(request[:id], e)
    end

    def close
      @connections.each_value { |connection| drop(connection) }
    end

    private

    def act(request)
      case request.fetch(:do)
      when 'hello' then hello
      when 'data' then keep(request)
      when 'prepare' then prepare(request)
      when 'run' then run(request)
      when 'close' then forget(request)
      end
    end

    def hello
      drivers = @drivers.map { |driver| { name: driver.name, versions: [driver.version], can: driver.can, cannot: driver.cannot, options: driver.options } }
      { protocol: 'assay.dev/driver/v2', language: 'Ruby', runtime: RUBY_VERSION, clock: 'Process.clock_gettime(CLOCK_MONOTONIC)', drivers: drivers }
    end

    def keep(request)
      @data[request[:name]] = request[:rows]
      {}
    end

    def prepare(request)
      driver = @drivers.find { |known| known.name == request[:driver] }
      connection = @connections[request[:connection]] = Connection.new(driver, request, [])
      fill(connection, 1)
      { version: driver.version, library: driver.library, cipher: connection.sessions.first.cipher }
    end

    def run(request)
      connection = @connections.fetch(request[:connection])
      fill(connection, Run.sessions(request))
      Run.new(request, connection, @data.fetch(request[:data], [])).answer
    rescue StandardError
      drop(connection) # nobody knows what state its sessions are in; closing also rolls back
      raise
    end

    def forget(request)
      drop(@connections.delete(request[:connection]))
      {}
    end

    # As many sessions as that, with autocommit on; those that are there stay.
    def fill(connection, number)
      while connection.sessions.size < number
        connection.sessions << connection.driver.open(connection.target).tap { |session| session.autocommit(true) }
      end
    end

    def drop(connection)
      connection.sessions.pop.close until connection.sessions.empty?
    rescue StandardError => e
      warn "harness: closing a connection: #{e.message}"
      retry
    end

    # What a driver says may be cut inside a character; an answer is UTF-8.
    def refusal(id, error)
      code = error.respond_to?(:error_number) ? error.error_number : nil
      text = error.message.dup.force_encoding(Encoding::UTF_8).scrub
      text = error.class.name if text.empty?
      { id: id, state: 'failed', code: code.to_s, reason: code ? "#{code}: #{text}" : text }
    end
  end
end
