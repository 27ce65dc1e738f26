# frozen_string_literal: true

# SELECT 1 as a user would write it, without the harness: what the harness is compared with.
# Usage: ASSAY_USERNAME=... ASSAY_PASSWORD=... ruby loop.rb mysql2 HOST PORT DATABASE
# Each line of standard input is the seconds of a run, and is answered by {"operations":N,"nanoseconds":N}.
require 'json'
require 'mysql2'

driver, host, port, database = ARGV
abort 'usage: ruby loop.rb mysql2 HOST PORT DATABASE' unless ARGV.size == 4 && driver == 'mysql2'

client = Mysql2::Client.new(host: host, port: port.to_i, database: database, ssl_mode: :disabled, as: :array,
                            username: ENV.fetch('ASSAY_USERNAME'), password: ENV.fetch('ASSAY_PASSWORD'))
$stdout.sync = true
$stdin.each_line do |seconds|
  operations = 0
  start = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
  stop = start + (seconds.to_f * 1e9).to_i
  loop do
    client.query('SELECT 1').to_a
    operations += 1
    now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    next if now < stop

    puts JSON.generate(operations: operations, nanoseconds: now - start)
    break
  end
end
