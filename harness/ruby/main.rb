#!/usr/bin/ruby
# frozen_string_literal: true

# The harness of the drivers of Ruby: it answers the requests of docs/contributing/driver-protocol.md, which come in JSON lines on
# standard input, and measures what drivers do with them. One request at a time, until the input ends.
require_relative 'src/load'

Assay.serve($stdin, $stdout, Assay::Conversation.new(Assay::DRIVERS))
