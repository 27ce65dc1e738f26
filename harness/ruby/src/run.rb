# frozen_string_literal: true

module Assay
  # A request run: what it repeats, and how often.
  class Run
    def initialize(request, connection, data)
      @request = request
      @connection = connection
      @driver = connection.driver
      @data = data
      @one = choice('transaction', %w[Autocommit One]) == 'One'
      @session = choice('session', %w[Dedicated Pool New])
      @scheme = request['scheme'].to_s
    end

    def answer
      case @request['kind']
      when 'Connect' then measure(connecting, nil)
      when 'Encode' then encode
      when 'Execute', 'Query' then execute
      else raise Unsupported, "kind #{@request['kind'].inspect} is not known; known are Execute, Query, Connect, Encode"
      end
    end

    private

    def encode
      unless @driver.name == 'null'
        raise Unsupported, "#{@driver.name} has no public function that writes a row of parameters into a statement"
      end
      measure(@connection.session.operation('SingleRow', work), nil)
    end

    def execute
      check_scheme
      work = work()
      case @session
      when 'New' then measure(anew(work), work)
      when 'Pool'
        raise Unsupported, "#{@driver.name} has no pool of connections; gems above it have one" unless @driver.name == 'null'

        dedicated(work)
      else dedicated(work)
      end
    end

    def check_scheme
      unless @driver.schemes.key?(@scheme)
        raise Unsupported, "#{@driver.name} has no scheme #{@scheme.inspect}; it has: #{@driver.schemes.keys.join(', ')}"
      end
      return if !@request['inline'] || %w[SingleRow Prepared].include?(@scheme)

      raise Unsupported, "inline is known with SingleRow and Prepared, not with #{@scheme}"
    end

    def work
      statement = @request['statement'].to_s
      raise Malformed, 'the request has no statement' if statement.empty?

      name = @request['data']
      rows = name ? @data.fetch(name) { raise Malformed, "there is no data of the name #{name}" } : []
      raise Malformed, "the data #{name} has no rows" if name && rows.empty?

      work = Work.new(statement, rows: rows, rows_per_operation: @request.fetch('rowsPerOperation', 1), chunk: @request.fetch('chunk', 0),
                                 query: @request['kind'] == 'Query', inline: @request.fetch('inline', false))
      check_rows(work)
      check_sizes(work)
      work
    end

    def check_rows(work)
      width = work.template.parameters
      work.rows.each_with_index do |row, i|
        raise Malformed, "the statement has #{width} parameters, row #{i} has #{row.size}" if row.size != width
        next if !work.inline? || row[0].is_a?(Integer)

        raise Malformed, "inline needs an integer as the first parameter; row #{i} has none"
      end
      return unless work.rows.empty?
      raise Malformed, "the statement has #{width} parameters, the request has no data" if width.positive?
      raise Malformed, 'inline needs data' if work.inline?
    end

    def check_sizes(work)
      raise Malformed, 'rowsPerOperation has to be at least 1' if !work.rows.empty? && work.rows_per_operation < 1
      return if work.chunk.positive? || !%w[MultiRow MultiStatement InList].include?(@scheme)

      raise Malformed, "chunk has to be at least 1 for the scheme #{@scheme}"
    end

    def dedicated(work)
      session = @connection.session
      execute = session.operation(@scheme, work)
      return measure(execute, work) unless @one

      session.autocommit(false)
      answer = measure(lambda do
        execute.call
        session.commit
      end, work)
      session.autocommit(true)
      answer
    ensure
      session&.release
    end

    def anew(work)
      driver, target, one, scheme = @driver, @connection.target, @one, @scheme
      lambda do
        session = driver.open(target)
        begin
          session.autocommit(false) if one
          session.operation(scheme, work).call
          session.commit if one
        ensure
          session.close
        end
      end
    end

    def connecting
      driver, target = @driver, @connection.target
      -> { driver.open(target).close }
    end

    # Repeats an operation, and times each.
    def measure(operation, work)
      operations, nanoseconds = extent
      histogram = Histogram.new
      before = now
      GC.start
      before = now - before
      collections, collecting = GC.count, GC.total_time

      done = 0
      first = last = now
      loop do
        start = now
        work&.begin_operation
        operation.call
        last = now
        histogram.record(last - start)
        done += 1
        break if operations.positive? ? done >= operations : last - first >= nanoseconds
      end

      collection = { before: before, count: GC.count - collections, nanoseconds: GC.total_time - collecting }
      { operations: done, nanoseconds: [1, last - first].max, rows: work ? work.fetched : 0,
        checksum: Checksum.of(work ? work.answers : []), histogram: histogram.buckets, collection: collection }
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end

    # How many operations, or how many nanoseconds; the other one is 0.
    def extent
      operations = @request.fetch('operations', 0)
      seconds = @request.fetch('seconds', 0)
      if operations.positive? == seconds.positive?
        raise Malformed, 'either operations or seconds has to be greater than 0'
      end

      [operations, (seconds * 1e9).to_i]
    end

    # The first one that is known is the default.
    def choice(field, known)
      value = @request[field].to_s
      return known[0] if value.empty?
      raise Unsupported, "#{field} #{value} is not known; known are #{known.join(', ')}" unless known.include?(value)

      value
    end
  end
end
