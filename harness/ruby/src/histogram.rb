# frozen_string_literal: true

module Assay
  # Counts durations in the buckets of HdrHistogram with three significant digits: a value below 2048 ns is a bucket of
  # its own, of a greater one the 11 leading bits stay. All counters are there from the beginning, so that recording
  # allocates nothing.
  class Histogram
    SHIFTS = 51 # of the greatest integer that Ruby holds without an object, with 62 bits

    def initialize
      @counts = Array.new((SHIFTS + 2) * 1024, 0)
    end

    def record(nanoseconds)
      if nanoseconds < 2048
        @counts[nanoseconds] += 1
      else
        shift = nanoseconds.bit_length - 11
        @counts[(shift << 10) + (nanoseconds >> shift)] += 1
      end
    end

    # Index and count of each bucket that is not empty.
    def buckets
      found = []
      @counts.each_with_index { |count, index| found << [index, count] if count.positive? }
      found
    end
  end
end
