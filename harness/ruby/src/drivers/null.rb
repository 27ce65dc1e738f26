# frozen_string_literal: true

module Assay
  # Does everything but call a driver, and so measures the harness.
  class NullDriver
    ALL = %w[SingleRow Prepared ExecuteMany Pipelined MultiRow MultiStatement InList Batch Pool Encode].freeze

    def name = 'null'
    def version = '1'
    def library = ''
    def can = ALL.to_h { |what| [what, 'nothing is sent; texts are built where the scheme builds them'] }.merge('Concurrency' => CONCURRENCY)
    def cannot = {}
    def options = {}
    def open(_target) = NullSession.new(NullClient.new)
  end

  # A session of mysql2 whose client does nothing.
  class NullSession < Mysql2Session
    def operation(scheme, work)
      return super if %w[MultiRow MultiStatement InList].include?(scheme)
      return work.each_row(-> {}) if work.rows.empty?

      work.each_row(-> { work.next_row })
    end
  end

  # In place of a client of mysql2.
  class NullClient
    def query(_text) = []
    def next_result = false
    def escape(text) = text
    def close; end
    def closed? = false
  end
end
