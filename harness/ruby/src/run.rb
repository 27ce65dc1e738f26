# frozen_string_literal: true

module Assay
  # A request run: what it repeats, and how often.
  class Run
    def initialize(request, connection, session, rows)
      @request = request
      @driver = connection.driver
      @target = connection.target
      @session = session
      @commit = request[:commit]
      @scheme = request[:scheme]
      @work = Work.new(request, rows)
    end

    def answer
      return measure(connecting) if @request[:kind] == 'Connect'
      return measure(anew) if @request[:session] == 'New'

      dedicated # also what null does for Encode and a pool; mysql2 has neither
    end

    private

    def dedicated
      execute = @session.operation(@scheme, @work)
      return measure(execute) unless @commit

      session = @session
      session.autocommit(false)
      answer = measure(lambda do
        execute.call
        session.commit
      end)
      session.autocommit(true)
      answer
    ensure
      @session.release
    end

    def anew
      driver, target, commit, scheme, work = @driver, @target, @commit, @scheme, @work
      lambda do
        session = driver.open(target)
        begin
          session.autocommit(false) if commit
          session.operation(scheme, work).call
          session.commit if commit
        ensure
          session.close
        end
      end
    end

    def connecting
      driver, target = @driver, @target
      -> { driver.open(target).close }
    end

    # Repeats an operation, and times each.
    def measure(operation)
      work = @work
      operations, nanoseconds = @request[:operations], (@request[:seconds] * 1e9).to_i
      histogram = Histogram.new
      before = now
      GC.start
      before = now - before
      collections, collecting = GC.count, GC.total_time

      done = 0
      used = cpu_time
      first = last = now
      loop do
        start = now
        work.begin_operation
        operation.call
        last = now
        histogram.record(last - start)
        done += 1
        break if operations.positive? ? done >= operations : last - first >= nanoseconds
      end

      used = cpu_time - used
      collection = { before: before, count: GC.count - collections, nanoseconds: GC.total_time - collecting }
      { operations: done, nanoseconds: [1, last - first].max, cpuNanoseconds: (used if used.positive?), rows: work.fetched,
        checksum: Checksum.of(work.answers), histogram: histogram.buckets, collection: collection }.compact
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end

    # Of all threads of the process, in their own code and in the kernel. A clock that stands still does not report it.
    def cpu_time
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
    end
  end
end
