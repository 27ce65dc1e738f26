// The workers of a run and their clock: they begin together, take the numbers of operations from one counter, and end
// together. One worker alone shares nothing.
#ifndef CREW_H
#define CREW_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "histogram.h"
#include "protocol.h"
#include "refusal.h"

// What all workers of a run share. Behind the mutex is what stands below it.
struct crew {
  size_t workers;
  uint64_t operations;         // no operation has this number or a greater one
  uint64_t limit;              // in ns
  _Atomic uint64_t next;       // number of the operation that begins next; each worker has its own number first
  _Atomic uint64_t first;      // when the first operation began
  struct histogram *histogram; // a worker that is alone counts here itself
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  size_t ready, ended;
  bool failed;
  struct refusal refusal; // the first one
  uint64_t cpu_begin, cpu_nanoseconds;
  uint64_t done; // operations
  uint64_t end;  // of the last operation to end
};

// How many times a worker keeps to itself before it counts them with the others': a histogram for each would be half a
// megabyte for each.
#define TURN_TIMES 256

// What one worker did.
struct turn {
  uint64_t number; // of the operation that is under way, or was the last
  uint64_t done;
  uint64_t end;
  size_t kept;
  uint64_t times[TURN_TIMES];
};

// What a worker repeats: the operation of a number.
typedef bool repeated(void *context, uint64_t number, struct refusal *refusal);

void crew_begin(struct crew *crew, const struct run_request *run, struct histogram *histogram);
void crew_free(struct crew *crew);
// crew_fail keeps the first refusal; no further operation begins, and nobody waits any longer for all to be ready.
void crew_fail(struct crew *crew, const struct refusal *refusal);
// crew_measure waits until all workers are ready, and repeats an operation until the limit, at least once. It returns
// false after an error, and where another worker's error let none begin: then the refusal is that of the crew.
bool crew_measure(struct crew *crew, struct turn *turn, repeated *operation, void *context, struct refusal *refusal);
// crew_leave takes what a worker did, and waits until all have ended. It returns whether all are good.
bool crew_leave(struct crew *crew, struct turn *turn);
// crew_absent has so many workers end that have not begun.
void crew_absent(struct crew *crew, size_t workers);
uint64_t crew_nanoseconds(struct crew *crew);

#endif
