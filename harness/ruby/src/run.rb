# frozen_string_literal: true

module Assay
  # A request run: what it repeats, and how often. It has its work, and what it works on, once for each worker.
  class Run
    include Clock

    # How many sessions of those that stay it works on.
    def self.sessions(request)
      request[:kind] == 'Connect' || request[:session] == 'New' ? 1 : request[:concurrency]
    end

    def initialize(request, connection, rows)
      @request = request
      @driver = connection.driver
      @target = connection.target
      @commit = request[:commit]
      @scheme = request[:scheme]
      @works = Array.new(request[:concurrency]) { |number| Work.new(request, rows).tap { |work| work.go_to(number) } }
      @sessions = connection.sessions.first(@works.size)
    end

    def answer
      return measure(@works.map { connecting }) if @request[:kind] == 'Connect'
      return measure(@works.map { |work| anew(work) }) if @request[:session] == 'New'

      dedicated # also what null does for Encode and a pool; mysql2 has neither
    end

    private

    def dedicated
      executes = @sessions.zip(@works).map { |session, work| session.operation(@scheme, work) }
      return measure(executes) unless @commit

      @sessions.each { |session| session.autocommit(false) }
      answer = measure(executes.zip(@sessions).map { |execute, session| committing(execute, session) })
      @sessions.each { |session| session.autocommit(true) }
      answer
    ensure
      @sessions.each(&:release)
    end

    def committing(execute, session)
      lambda do
        execute.call
        session.commit
      end
    end

    def anew(work)
      driver, target, commit, scheme = @driver, @target, @commit, @scheme
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

    # Repeats operations, one for each worker, and times each.
    def measure(executes)
      limits = @request[:operations], (@request[:seconds] * 1e9).to_i
      alone = executes.one?
      workers = @works.zip(executes).map { |work, execute| Worker.new(work, execute, alone ? Histogram.new : Histogram.sparse) }
      crew = Crew.new(workers, *limits) unless alone
      before = now
      GC.start
      before = now - before
      collections, collecting = GC.count, GC.total_time

      used = cpu_time
      alone ? workers.first.repeat(*limits) : crew.work
      used = workers.map(&:cpu).max - used
      collection = { before: before, count: GC.count - collections, nanoseconds: GC.total_time - collecting }
      summary(workers).merge({ cpuNanoseconds: (used if used.positive?), collection: collection }.compact)
    end

    def summary(workers)
      { operations: workers.sum(&:done), nanoseconds: [1, workers.map(&:ended).max - workers.first.began].max, rows: @works.sum(&:fetched),
        checksum: Checksum.of(@works.max_by(&:number).answers), histogram: Histogram.sum(workers.map(&:histogram)).buckets }
    end
  end
end
