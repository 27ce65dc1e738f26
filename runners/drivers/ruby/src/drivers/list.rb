# frozen_string_literal: true

require_relative 'mysql2'
require_relative 'null'

module Assay
  # In the order of documents. A driver answers to name, versions (the first one is the default), library (of C, below
  # it), schemes, check(target), open(target) and cannot_log_in?(error). What open returns, answers to
  # operation(scheme, work), autocommit(on), commit, cipher, release (what operation prepared) and close.
  DRIVERS = [
    Mysql2Driver.new,
    NullDriver.new
  ].freeze
end
