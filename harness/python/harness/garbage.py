"""Python's collector of garbage, watched."""

import gc
import time


class Garbage:
    """Collects before, and counts and times what is collected meanwhile."""

    def __enter__(self):
        begin = time.perf_counter_ns()
        gc.collect()
        self.before = time.perf_counter_ns() - begin
        self.count = 0
        self.nanoseconds = 0
        gc.callbacks.append(self._seen)
        return self

    def __exit__(self, *_):
        gc.callbacks.remove(self._seen)

    def _seen(self, phase, _):
        if phase == "start":
            self._begin = time.perf_counter_ns()
        else:
            self.count += 1
            self.nanoseconds += time.perf_counter_ns() - self._begin

    def answer(self):
        return {"before": self.before, "count": self.count, "nanoseconds": self.nanoseconds}
