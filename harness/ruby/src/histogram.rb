# frozen_string_literal: true

module Assay
  # Counts durations in the buckets of HdrHistogram with three significant digits: a value below 2048 ns is a bucket of
  # its own, of a greater one the 11 leading bits stay. All counters are there from the beginning, so that recording
  # allocates nothing.
  class Histogram
    SHIFTS = 51 # of the greatest integer that Ruby holds without an object, with 62 bits

    def initialize(counts = Array.new((SHIFTS + 2) * 1024, 0))
      @counts = counts
    end

    # With the counters that are not zero alone: all counters of many workers would fill the memory.
    def self.sparse
      new(Hash.new(0))
    end

    # What several have counted. One needs no sum.
    def self.sum(histograms)
      histograms.one? ? histograms.first : histograms.each_with_object(new) { |histogram, all| all.add(histogram) }
    end

    def record(nanoseconds)
      if nanoseconds < 2048
        @counts[nanoseconds] += 1
      else
        shift = nanoseconds.bit_length - 11
        @counts[(shift << 10) + (nanoseconds >> shift)] += 1
      end
    end

    # Adds one that is sparse.
    def add(other)
      other.counts.each { |index, count| @counts[index] += count }
    end

    # Index and count of each bucket that is not empty.
    def buckets
      found = []
      @counts.each_with_index { |count, index| found << [index, count] if count.positive? }
      found
    end

    protected

    attr_reader :counts
  end
end
