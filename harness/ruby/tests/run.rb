# frozen_string_literal: true

# Tests without a server: ruby tests/run.rb. Prints what failed, and exits with 1 if anything did.
require_relative '../src/load'

ENV['ASSAY_USERNAME'] = ENV['ASSAY_PASSWORD'] = 'nobody'

module Assay
  # In place of a connection of mysql2: writes down what it is asked, and answers with rows.
  class FakeClient
    attr_reader :log

    def initialize
      @log = []
    end

    def escape(text) = text.gsub("'", "\\\\'")
    def closed? = false
    def next_result = false

    def query(text)
      @log << text
      text.include?('SELECT') ? [[1, 'a'], [2, 'b']] : nil
    end

    def prepare(text)
      @log << "prepare #{text}"
      FakeStatement.new(@log)
    end
  end

  # What it prepares.
  class FakeStatement
    def initialize(log)
      @log = log
    end

    def execute(*row)
      @log << "execute #{row.inspect}"
      []
    end

    def close
      @log << 'close'
    end
  end

  # A driver whose operations write down the rows that they take. It fails where a row is the one that it cannot take.
  class FakeDriver
    attr_reader :log, :opened, :closed

    def initialize(refused: nil, together: 1)
      @refused = refused
      @log = Queue.new
      @arrived = Queue.new
      @together = together
      @opened = @closed = 0
    end

    def name = 'fake'

    def open(_target)
      @opened += 1
      self
    end

    def operation(_scheme, work)
      lambda do
        row = work.next_row
        @log << row
        meet
        raise "row #{row}" if row == @refused

        work.take([row])
      end
    end

    # Until the first operations of so many workers are under way, whatever the threads are given to do.
    def meet
      @arrived << true
      Thread.pass until @arrived.size >= @together
    end

    def autocommit(_on); end
    def release; end

    def close
      @closed += 1
    end
  end

  # Counts what was checked, and prints what failed.
  class Tests
    attr_reader :checked, :failed

    def initialize
      @checked = 0
      @failed = 0
    end

    def same(claim, want, got)
      @checked += 1
      return if want == got

      @failed += 1
      puts "FAILED: #{claim}", "  want #{want.inspect}", "  got  #{got.inspect}"
    end

    # The bucket of a value, by the words of the protocol.
    def bucket_of(value)
      shift = [value.to_s(2).size - 11, 0].max
      (shift * 1024) + (value >> shift)
    end

    def histogram
      [0, 1, 2047, 2048, 2049, 2050, 4095, 4096, 4097, 65_535, 65_536, 270_532_609, 812_345_678, 1 << 40, (1 << 62) - 1].each do |value|
        histogram = Histogram.new
        histogram.record(value)
        same("the bucket of #{value} ns", [[bucket_of(value), 1]], histogram.buckets)
      end
      histogram = Histogram.new
      [5000, 7, 5001, 7, 5004].each { |value| histogram.record(value) }
      same('buckets ascend and count', [[7, 2], [bucket_of(5000), 2], [bucket_of(5004), 1]], histogram.buckets)
    end

    def checksum
      same('no rows', 0, Checksum.of([]))
      same('four values count, nulls and booleans have their texts, answers follow each other',
           Zlib.crc32("1\tä\t\\N\t1\n2\t-5\n"), Checksum.of([[[1, 'ä', nil, true, 'not this']], [['2', -5]]]))
    end

    def work(statement, rows, **more)
      Work.new({ statement: statement, head: '', group: '', separator: '', tail: '', rowsPerOperation: 3, chunk: 2, kind: 'Execute' }.merge(more), rows)
    end

    def rows
      work = work('DO ?', [[1], [2], [3]])
      same('operations go on where the last one ended, and from the first again', [[1], [2], [3], [1]], Array.new(4) { work.next_row })
      sizes = []
      work('DO ?', [[1]], rowsPerOperation: 5).in_chunks(->(count) { sizes << count }).call
      same('the last chunk has what is left', [2, 2, 1], sizes)
    end

    # What mysql2 is asked for three rows, two in a chunk, in two operations.
    def schemes
      insert, group = 'INSERT INTO t VALUES (?, ?)', '(?, ?)'
      pairs = [[1, "O'Neill"], [2, 'ä'], [3, 0.5]]
      texts = ["(1, 'O\\'Neill')", "(2, 'ä')", '(3, 0.5)'].map { |values| "INSERT INTO t VALUES #{values}" }
      asked('SingleRow', insert, pairs, texts * 2)
      asked('Prepared', insert, pairs, ["prepare #{insert}", *(pairs.map { |row| "execute #{row.inspect}" } * 2), 'close'])
      asked('MultiRow', insert, pairs, ["#{texts[0]}, (2, 'ä')", texts[2]] * 2, head: insert.delete_suffix(group), group: group, separator: ', ')
      asked('MultiStatement', insert, pairs, ["#{texts[0]};#{texts[1]}", texts[2]] * 2, group: insert, separator: ';')
      asked('InList', 'DELETE FROM t WHERE id IN (?)', [[1], [2], [3]], ['DELETE FROM t WHERE id IN (1, 2)', 'DELETE FROM t WHERE id IN (3)'] * 2,
            head: 'DELETE FROM t WHERE id IN (', group: '?', separator: ', ', tail: ')')
      asked('SingleRow', 'SELECT ?', [[1]], ['SELECT 1'] * 6, kind: 'Query', fetched: 12)
    end

    def asked(scheme, statement, rows, wanted, fetched: 0, **more)
      client = FakeClient.new
      session = Mysql2Session.new(client)
      work = work(statement, rows, **more)
      operation = session.operation(scheme, work)
      2.times { operation.call }
      session.release
      same("what #{scheme} asks", wanted, client.log)
      same("the rows that #{scheme} fetches", fetched, work.fetched)
    end

    def cpu_time
      talk = Conversation.new(DRIVERS)
      target = { host: '', port: 1, database: '', tls: false, options: {} }
      talk.answer({ id: 1, do: 'prepare', connection: 'x', driver: 'null' }.merge(target))
      answer = talk.answer(request(operations: 3))
      same('operations take CPU time', true, answer[:cpuNanoseconds]&.positive?)
      %w[Dedicated Pool New].product([true, false]) do |session, commit|
        answer = talk.answer(request(operations: 9, concurrency: 4, session: session, commit: commit))
        same("nine operations by four workers, #{session}, commit #{commit}", ['ok', 9], [answer[:state], answer[:operations]])
      end
    end

    # A request run, by the connection x.
    def request(**more)
      { id: 2, do: 'run', connection: 'x', statement: 'DO 1', kind: 'Execute', scheme: 'SingleRow', session: 'Dedicated', commit: false, inline: false,
        head: '', group: '', separator: '', tail: '', data: '', rowsPerOperation: 1, chunk: 1, concurrency: 1, operations: 0, seconds: 0 }.merge(more)
    end

    # What a run of a fake driver answers.
    def fake_run(driver, rows, **more)
      connection = Connection.new(driver, {}, [])
      run = request(kind: 'Query', **more)
      run[:concurrency].times { connection.sessions << driver.open({}) }
      Run.new(run, connection, rows).answer
    end

    def concurrency
      rows = Array.new(50_000) { |number| [number] }
      [{ operations: 403 }, { operations: 4 }, { seconds: 1e-9 }, { seconds: 0.005 }].each do |wanted|
        driver = FakeDriver.new(together: 4)
        answer = fake_run(driver, rows, concurrency: 4, **wanted)
        done = answer[:operations]
        taken = Array.new(done) { driver.log.pop[0] }
        same("the numbers of #{wanted} have no gap", (0...done).to_a, taken.sort)
        same("the first of #{wanted} are those of the workers", [0, 1, 2, 3], taken.first(4).sort)
        same("every operation of #{wanted} is counted", [done, done], [answer[:rows], answer[:histogram].sum(&:last)])
        same("the checksum of #{wanted}", Zlib.crc32("#{done - 1}\n"), answer[:checksum])
      end
      driver = FakeDriver.new
      fake_run(driver, [[0], [1], [2]], concurrency: 1, operations: 5)
      same('one worker takes the rows in order', [[0], [1], [2], [0], [1]], Array.new(5) { driver.log.pop })
    end

    def failures
      rows = Array.new(50_000) { |number| [number] }
      driver = FakeDriver.new(refused: [20], together: 4)
      reason = begin
        fake_run(driver, rows, concurrency: 4, seconds: 60)
      rescue RuntimeError => e
        e.message
      end
      same('the first failure is told', 'row [20]', reason)
      same('threads that are left', 1, Thread.list.size)

      talk = Conversation.new([driver = FakeDriver.new(refused: [2])])
      def driver.version = '1'
      def driver.library = ''
      def driver.cipher = ''
      talk.answer({ id: 1, do: 'prepare', connection: 'x', driver: 'fake' })
      talk.answer({ id: 2, do: 'data', name: 'd', rows: [[0], [1], [2], [3]] })
      stay = [[2, 2], [4, 4], [1, 1]].map do |concurrency, operations|
        state = talk.answer(request(concurrency: concurrency, operations: operations, data: 'd'))[:state]
        [state, driver.opened, driver.closed]
      end
      same('sessions stay until something goes wrong on one, and are made again', [['ok', 2, 0], ['failed', 4, 4], ['ok', 5, 4]], stay)
    end

    # What the conformance suite cannot provoke: words of a driver that are no UTF-8, and options.
    def refusals
      talk = Conversation.new(DRIVERS)
      prepare = { id: 6, do: 'prepare', connection: 'x', driver: 'mysql2', host: '127.0.0.1', port: 1, database: '', tls: false, options: {} }
      nobody = talk.answer(prepare)
      same('a server that does not answer', ['failed', '2002'], [nobody[:state], nobody[:code]])
      same('an unknown flag', 'mysql2 has no flags MAGIC here; it has: COMPRESS FOUND_ROWS',
           talk.answer(prepare.merge(options: { flags: 'COMPRESS MAGIC' }))[:reason])
    end
  end
end

tests = Assay::Tests.new
%i[histogram checksum rows schemes cpu_time concurrency failures refusals].each { |name| tests.public_send(name) }
puts "#{tests.checked} checks, #{tests.failed} failed"
exit tests.failed.zero?
