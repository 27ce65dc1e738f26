# frozen_string_literal: true

module Assay
  CONCURRENCY = 'threads, a connection each'

  # In the order of documents: a driver is a file beside this, and its class here. It answers to name, version, library (of
  # C, below it), can, cannot and options, as the answer to hello has them, and open(target), where target is the request
  # prepare. What open returns, answers to operation(scheme, work), autocommit(on), commit, cipher, release (what
  # operation prepared) and close.
  DRIVERS = {
    'mysql2' => :Mysql2Driver,
    'null' => :NullDriver
  }.map do |file, name|
    require_relative file
    const_get(name).new
  end.freeze
end
