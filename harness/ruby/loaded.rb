# frozen_string_literal: true

# Prints the files of Ruby's library that the harness loads, for its image. Some are loaded late: after a request that was
# read, a connection that failed, and an answer that was written, they are there too.
require_relative 'src/load'

ENV['ASSAY_USERNAME'] = ENV['ASSAY_PASSWORD'] = 'nobody'
request = '{"id":1,"do":"prepare","connection":"x","driver":"mysql2","host":"127.0.0.1","port":1,"database":"","tls":false,"options":{}}'
input, agent = IO.pipe
agent.puts(request)
agent.close
File.open(File::NULL, 'w') { |output| Assay.serve(input, output, Assay::Conversation.new(Assay::DRIVERS)) }
puts $LOADED_FEATURES.grep(%r{\A/usr/})
