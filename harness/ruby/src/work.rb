# frozen_string_literal: true

module Assay
  # What the operations of a run do: the statement, its rows of parameters, and what was fetched.
  class Work
    attr_reader :template, :rows, :rows_per_operation, :chunk, :fetched, :answers

    # Without rows the statement is executed once per operation.
    def initialize(statement, rows:, rows_per_operation: 1, chunk: 0, query: false, inline: false)
      @template = Template.new(statement)
      @rows = rows
      @rows_per_operation = rows_per_operation
      @chunk = chunk
      @query = query
      @inline = inline
      @at = 0
      @fetched = 0
      @answers = []
    end

    def query? = @query
    def inline? = @inline

    # How many executions one operation consists of.
    def executions
      @rows.empty? ? 1 : @rows_per_operation
    end

    # The next row of parameters; behind the last one comes the first again.
    def next_row
      row = @rows[@at]
      @at += 1
      @at = 0 if @at == @rows.size
      row
    end

    # Forgets the rows of the operation before.
    def begin_operation
      @answers.clear
    end

    # Keeps rows that a driver handed over.
    def take(rows)
      @fetched += rows.size
      @answers << rows
    end

    # What one operation does whose rows go into texts of at most a chunk of them: execute takes how many it has.
    def in_chunks(execute)
      all = executions
      size = @chunk
      lambda do
        left = all
        while left.positive?
          execute.call([left, size].min)
          left -= size
        end
      end
    end

    # The same for each row by itself.
    def each_row(execute)
      all = executions
      return execute if all == 1

      -> { all.times { execute.call } }
    end
  end
end
