# frozen_string_literal: true

module Assay
  # Where a connection goes, and how. Options are those of the driver, by its own names.
  Target = Struct.new(:host, :port, :database, :tls, :options, :user, :password, :authority, keyword_init: true) do
    # The C library takes the name localhost for a Unix socket; the protocol speaks of hosts and ports.
    def address
      host == 'localhost' ? '127.0.0.1' : host
    end

    # Nothing that prints an object may print the password.
    def inspect = "#<Target #{host}:#{port}>"
    alias_method :to_s, :inspect
  end

  # A connection of prepare: opened at once, and again by the next run after one that failed.
  class Connection
    attr_reader :driver, :target

    def initialize(driver, target)
      @driver = driver
      @target = target
    end

    # The session that stays, with autocommit on.
    def session
      return @session if @session

      opened = @driver.open(@target)
      opened.autocommit(true)
      @session = opened
    end

    # After an error nobody knows what state the connection is in: it is closed, which also rolls back.
    def drop
      session = @session
      @session = nil
      session&.close
    rescue StandardError => e
      warn "harness: closing a connection: #{e.message}"
    end
  end
end
