# frozen_string_literal: true

module Assay
  # What workers share: when the first one began, the numbers of their operations, and what went wrong first.
  class Numbers
    attr_reader :failure

    # The workers have the first ones. Without a number of operations there is always a next one.
    def initialize(workers, operations)
      @mutex = Mutex.new
      @next = workers
      @end = operations.positive? ? operations : Float::INFINITY
    end

    # When the first worker began.
    def begin(now)
      @mutex.synchronize { @began ||= now }
    end

    # The number of the next operation, or nil where there is none.
    def take
      @mutex.synchronize do
        next if @failure || @next >= @end

        @next += 1
        @next - 1
      end
    end

    # No operation begins after that.
    def fail(error)
      @mutex.synchronize { @failure ||= error }
    end
  end

  # Workers in threads. They wait for each other before they begin.
  class Crew
    def initialize(workers, operations, nanoseconds)
      @numbers = Numbers.new(workers.size, operations)
      @ready = Queue.new
      @gate = Queue.new
      @threads = []
      workers.each { |worker| @threads << Thread.new { attend { worker.repeat(operations, nanoseconds, @numbers) } } }
      workers.each { @ready.pop }
    rescue ThreadError => e # there cannot be so many; those that are there have to go
      @numbers.fail(e)
      work
    end

    # Lets them begin, and returns when all have ended.
    def work
      @gate.close
      @threads.each(&:join)
      raise @numbers.failure if @numbers.failure
    end

    private

    def attend
      @ready << true
      @gate.pop # until it is closed
      yield unless @numbers.failure
    rescue StandardError => e
      @numbers.fail(e)
    end
  end
end
