# frozen_string_literal: true

module Assay
  # What the operations of a run do: the texts, the rows of parameters, and what was fetched. A statement is taken apart
  # once, so that an operation only puts texts together.
  class Work
    attr_reader :text, :parts, :head, :group, :separator, :tail, :rows, :fetched, :answers, :number

    # Without rows the statement is executed once per operation.
    def initialize(request, rows)
      @text, @head, @separator, @tail = request.values_at(:statement, :head, :separator, :tail)
      @parts = cut(@text)
      @group = cut(request[:group])
      @rows = rows
      @executions = request[:rowsPerOperation]
      @chunk = request[:chunk]
      @query = request[:kind] == 'Query'
      @at = 0
      @number = 0
      @fetched = 0
      @answers = []
    end

    def query? = @query

    # The next row of parameters; behind the last one comes the first again.
    def next_row
      row = @rows[@at]
      @at += 1
      @at = 0 if @at == @rows.size
      row
    end

    # The next operation is the one with this number.
    def go_to(number)
      @number = number
      @at = number * @executions % @rows.size unless @rows.empty?
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
      all = @executions
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
      all = @executions
      return execute if all == 1

      -> { all.times { execute.call } }
    end

    private

    # What stands between the question marks. A text that is built from it begins with a copy.
    def cut(text)
      text.split('?', -1).each(&:freeze).freeze
    end
  end
end
