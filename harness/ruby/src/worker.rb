# frozen_string_literal: true

module Assay
  # Does one operation after the other. What it works with and what it measures is its own.
  class Worker
    include Clock

    attr_reader :work, :histogram, :done, :began, :ended, :cpu

    def initialize(work, operation, histogram)
      @work = work
      @operation = operation
      @histogram = histogram
    end

    # Repeats the operation, and times each. A worker that is alone has no numbers: it takes the rows as they come.
    def repeat(operations, nanoseconds, numbers = nil)
      work, operation, histogram = @work, @operation, @histogram
      done = 0
      first = last = now
      first = numbers.begin(first) if numbers
      loop do
        start = now
        work.begin_operation
        operation.call
        last = now
        histogram.record(last - start)
        done += 1
        break if operations.positive? ? done >= operations : last - first >= nanoseconds
        next unless numbers

        number = numbers.take or break
        work.go_to(number)
      end
      @cpu = cpu_time
      @done, @began, @ended = done, first, last
    end
  end
end
