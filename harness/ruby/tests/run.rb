# frozen_string_literal: true

# Tests without a server: ruby tests/run.rb. Prints what failed, and exits with 1 if anything did.
require_relative '../src/load'

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

    def raises(claim, wanted)
      yield
      same(claim, wanted, 'nothing was raised')
    rescue StandardError => e
      same(claim, wanted, e.class)
    end

    # The greatest number with 11 leading bits that is not above a value, by the words of the protocol.
    def bucket_of(value)
      bits = value.to_s(2).size
      value < 2048 ? value : (value >> (bits - 11)) << (bits - 11)
    end

    def histogram
      [0, 1, 2047, 2048, 2049, 2050, 4095, 4096, 4097, 65_535, 65_536, 270_532_609, 812_345_678, 1 << 40, (1 << 62) - 1].each do |value|
        histogram = Histogram.new
        histogram.record(value)
        same("the bucket of #{value} ns", [[bucket_of(value), 1]], histogram.buckets)
      end
      histogram = Histogram.new
      [5000, 7, 5001, 7, 5004].each { |value| histogram.record(value) }
      same('buckets ascend and count', [[7, 2], [5000, 2], [5004, 1]], histogram.buckets)
    end

    def checksum
      same('no rows', 0, Checksum.of([]))
      same('four values count, nulls and booleans have their texts, answers follow each other',
           Zlib.crc32("1\tä\t\\N\t1\n2\t-5\n"), Checksum.of([[[1, 'ä', nil, true, 'not this']], [['2', -5]]]))
    end

    def templates
      insert = Template.new('INSERT INTO t (a, b) VALUES (?, COALESCE(?, 1)) ON DUPLICATE KEY UPDATE a = 1').multi_row
      same('MultiRow finds the group behind VALUES',
           ['INSERT INTO t (a, b) VALUES ', ['(', ', COALESCE(', ', 1))'], ' ON DUPLICATE KEY UPDATE a = 1'],
           [insert.before, insert.parts, insert.after])
      list = Template.new('DELETE FROM t WHERE id IN (?)').in_list
      same('InList finds the list', ['DELETE FROM t WHERE id IN (', '?', ')'], [list.before, list.group, list.after])
      same('a number inline', 'SELECT 7 + ?', Template.new('SELECT ? + ?').inlined(7))
      ['UPDATE t SET a = ?', 'INSERT INTO t VALUES (1), (?) WHERE b = ?', 'INSERT INTO t VALUES (?'].each do |statement|
        raises("MultiRow of #{statement}", Unsupported) { Template.new(statement).multi_row }
      end
      ['DELETE FROM t WHERE id = ?', 'SELECT ? FROM t WHERE id IN (?)', 'SELECT 1 FROM t WHERE id IN (?) LIMIT 1'].each do |statement|
        raises("InList of #{statement}", Unsupported) { Template.new(statement).in_list }
      end
    end

    def rows
      work = Work.new('DO ?', rows: [[1], [2], [3]], rows_per_operation: 2)
      same('operations go on where the last one ended, and from the first again', [[1], [2], [3], [1]], Array.new(4) { work.next_row })
      sizes = []
      Work.new('DO ?', rows: [[1]], rows_per_operation: 5, chunk: 2).in_chunks(->(count) { sizes << count }).call
      same('the last chunk has what is left', [2, 2, 1], sizes)
    end

    # What mysql2 is asked for three rows, two in a chunk, in two operations.
    def schemes
      insert = 'INSERT INTO t VALUES (?, ?)'
      pairs = [[1, "O'Neill"], [2, nil], [3, 0.5]]
      texts = ["(1, 'O\\'Neill')", '(2, NULL)', '(3, 0.5)'].map { |group| "INSERT INTO t VALUES #{group}" }
      asked('SingleRow', insert, pairs, texts * 2)
      asked('Prepared', insert, pairs, ["prepare #{insert}", *(pairs.map { |row| "execute #{row.inspect}" } * 2), 'close'])
      asked('MultiRow', insert, pairs, ["#{texts[0]}, (2, NULL)", texts[2]] * 2)
      asked('MultiStatement', insert, pairs, ["#{texts[0]};#{texts[1]}", texts[2]] * 2)
      asked('InList', 'SELECT a FROM t WHERE id IN (?)', [[1], [2], [3]],
            ['SELECT a FROM t WHERE id IN (1, 2)', 'SELECT a FROM t WHERE id IN (3)'] * 2, query: true, fetched: 8)
      asked('Prepared', 'DO ? + ?', [[1, 2], [3, 4]] * 2, ['prepare DO 1 + ?', 'execute [2]', 'close', 'prepare DO 3 + ?', 'execute [4]', 'close'] * 3, inline: true)
    end

    def asked(scheme, statement, rows, wanted, fetched: 0, **how)
      client = FakeClient.new
      session = Mysql2Session.new(client)
      work = Work.new(statement, rows: rows, rows_per_operation: 3, chunk: 2, **how)
      operation = session.operation(scheme, work)
      2.times { operation.call }
      session.release
      same("what #{scheme} asks", wanted, client.log)
      same("the rows that #{scheme} fetches", fetched, work.fetched)
    end

    # Speaks with the harness as the agent does.
    def conversation
      @talk = Conversation.new(DRIVERS)
      beginnings
      @run = { 'id' => 7, 'do' => 'run', 'connection' => 'c', 'kind' => 'Execute', 'scheme' => 'SingleRow', 'data' => 'd',
               'statement' => 'DELETE FROM t WHERE id IN (?)', 'rowsPerOperation' => 2, 'chunk' => 2, 'operations' => 3 }
      every_way
      refusals
      timed = ask('operations' => 0, 'seconds' => 0.01)
      same('as many operations as begin in a time', true, timed[:operations] > 10 && timed[:nanoseconds].between?(10_000_000, 1_000_000_000))
      same('close', { id: 8, state: 'ok' }, @talk.answer('id' => 8, 'do' => 'close', 'connection' => 'c'))
      same('close again', 'failed', @talk.answer('id' => 9, 'do' => 'close', 'connection' => 'c')[:state])
    end

    def ask(change)
      @talk.answer(@run.merge(change))
    end

    def beginnings
      hello = @talk.answer('id' => 1, 'do' => 'hello', 'protocol' => PROTOCOL)
      same('hello', ['ok', 'Ruby', %w[mysql2 null]], [hello[:state], hello[:language], hello[:drivers].map { |driver| driver[:name] }])
      same('another protocol', 'unsupported', @talk.answer('id' => 2, 'do' => 'hello', 'protocol' => 'x')[:state])
      same('an unknown request', 'unsupported', @talk.answer('id' => 3, 'do' => 'dance')[:state])
      same('data', { id: 4, state: 'ok', rows: 3 }, @talk.answer('id' => 4, 'do' => 'data', 'name' => 'd', 'rows' => [[1], [2], [3]]))
      same('prepare of null', { id: 5, state: 'ok', version: '1', library: '', cipher: '' },
           @talk.answer('id' => 5, 'do' => 'prepare', 'connection' => 'c', 'driver' => 'null', 'tls' => 'Required'))
      prepare = { 'id' => 6, 'do' => 'prepare', 'connection' => 'x', 'driver' => 'mysql2' }
      [{ 'driver' => 'y' }, { 'version' => '1' }, { 'options' => { 'a' => 'b' } }, { 'options' => { 'flags' => 'MAGIC' } }, { 'tls' => 'Maybe' }].each do |change|
        same("prepare with #{change}", 'unsupported', @talk.answer(prepare.merge(change))[:state])
      end
      nobody = @talk.answer(prepare.merge('host' => '127.0.0.1', 'port' => 1))
      same('a server that does not answer', ['failed', true], [nobody[:state], !nobody[:reason].to_s.empty?])
    end

    def every_way
      %w[SingleRow Prepared ExecuteMany Pipelined MultiStatement InList Batch].product(%w[Dedicated Pool New], %w[Autocommit One]) do |scheme, session, transaction|
        answer = ask('scheme' => scheme, 'session' => session, 'transaction' => transaction)
        same("null by #{scheme}, #{session}, #{transaction}", [3, 0, 0, 3],
             [answer[:operations], answer[:rows], answer[:checksum], answer.fetch(:histogram, []).sum { |_, count| count }])
      end
      same('MultiRow by null', 'ok', ask('scheme' => 'MultiRow', 'statement' => 'INSERT INTO t VALUES (?)')[:state])
      same('Connect by null', 'ok', ask('kind' => 'Connect')[:state])
      same('Encode by null', 'ok', ask('kind' => 'Encode')[:state])
      same('inline', 'ok', ask('inline' => true)[:state])
    end

    def refusals
      [['unsupported', { 'scheme' => 'Telepathy' }], ['unsupported', { 'session' => 'Old' }], ['unsupported', { 'transaction' => 'Two' }],
       ['unsupported', { 'kind' => 'Sing' }], ['unsupported', { 'scheme' => 'InList', 'inline' => true }], ['failed', { 'data' => 'none' }],
       ['failed', { 'connection' => 'none' }], ['failed', { 'operations' => 0 }], ['failed', { 'seconds' => 1 }],
       ['failed', { 'chunk' => 0, 'scheme' => 'InList' }], ['failed', { 'rowsPerOperation' => 0 }], ['failed', { 'statement' => 'DO ?, ?' }]].each do |state, change|
        answer = ask(change)
        same("a run with #{change}", [state, true], [answer[:state], !answer[:reason].to_s.empty?])
      end
    end
  end
end

tests = Assay::Tests.new
%i[histogram checksum templates rows schemes conversation].each { |name| tests.public_send(name) }
puts "#{tests.checked} checks, #{tests.failed} failed"
exit tests.failed.zero?
