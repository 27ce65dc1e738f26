# frozen_string_literal: true

module Assay
  # The two clocks of a run.
  module Clock
    private

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end

    # Of all threads of the process, in their own code and in the kernel. A clock that stands still does not report it.
    def cpu_time
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
    end
  end
end
