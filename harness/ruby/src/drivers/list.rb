# frozen_string_literal: true

module Assay
  # In the order of documents: a driver is a file beside this, and its class here. It answers to name, versions (the first
  # one is the default), library (of C, below it), schemes, check(target), open(target) and cannot_log_in?(error). What open
  # returns, answers to operation(scheme, work), autocommit(on), commit, cipher, release (what operation prepared) and close.
  DRIVERS = {
    'mysql2' => :Mysql2Driver,
    'null' => :NullDriver
  }.map do |file, name|
    require_relative file
    const_get(name).new
  end.freeze
end
