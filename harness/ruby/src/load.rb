# frozen_string_literal: true

# What belongs to the harness, in the order in which it builds on itself.
require 'json'
require 'zlib'

require_relative 'clock'
require_relative 'histogram'
require_relative 'checksum'
require_relative 'work'
require_relative 'worker'
require_relative 'crew'
require_relative 'run'
require_relative 'conversation'
require_relative 'drivers/list'
