#include "crew.h"

#include <time.h>

// Counting on from here does not come to 0 again.
#define NONE_LEFT (UINT64_MAX / 2)

static uint64_t nanoseconds_of(struct timespec time)
{
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return nanoseconds_of(time);
}

// cpu_time is that of all threads of the process, in their own code and in the kernel; 0 where it is unknown.
static uint64_t cpu_time(void)
{
  struct timespec time;
  return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) ? 0 : nanoseconds_of(time);
}

// cpu_time_since a reading; 0 where it is unknown.
static uint64_t cpu_time_since(uint64_t begin)
{
  uint64_t end = cpu_time();
  return begin && end > begin ? end - begin : 0;
}

void crew_begin(struct crew *crew, const struct run_request *run, struct histogram *histogram)
{
  *crew = (struct crew){.workers = run->concurrency,
                        .operations = run->operations ? run->operations : NONE_LEFT,
                        .limit = run->operations ? UINT64_MAX : (uint64_t)(run->seconds * 1e9),
                        .histogram = histogram};
  atomic_init(&crew->next, run->concurrency);
  atomic_init(&crew->first, 0);
  pthread_mutex_init(&crew->mutex, NULL);
  pthread_cond_init(&crew->changed, NULL);
  histogram_clear(histogram);
}

void crew_free(struct crew *crew)
{
  pthread_cond_destroy(&crew->changed);
  pthread_mutex_destroy(&crew->mutex);
}

void crew_fail(struct crew *crew, const struct refusal *refusal)
{
  pthread_mutex_lock(&crew->mutex);
  if (!crew->failed)
    crew->refusal = *refusal;
  crew->failed = true;
  atomic_store_explicit(&crew->next, NONE_LEFT, memory_order_relaxed);
  pthread_cond_broadcast(&crew->changed);
  pthread_mutex_unlock(&crew->mutex);
}

// wait_for_all lets a worker through when all are ready. The last one reads the CPU time before.
static bool wait_for_all(struct crew *crew)
{
  pthread_mutex_lock(&crew->mutex);
  if (++crew->ready == crew->workers) {
    crew->cpu_begin = cpu_time();
    pthread_cond_broadcast(&crew->changed);
  }
  while (crew->ready < crew->workers && !crew->failed)
    pthread_cond_wait(&crew->changed, &crew->mutex);
  bool good = !crew->failed;
  pthread_mutex_unlock(&crew->mutex);
  return good;
}

// begin_first returns when the first operation of this worker begins. Who begins before all others keeps that time; the
// others read the clock behind it, so that none of them has begun before the first.
static uint64_t begin_first(struct crew *crew, bool alone)
{
  uint64_t begin = now(), none = 0;
  if (alone)
    atomic_init(&crew->first, begin);
  else if (!atomic_compare_exchange_strong(&crew->first, &none, begin))
    begin = now();
  return begin;
}

static void count_times(struct crew *crew, struct turn *turn)
{
  for (size_t place = 0; place < turn->kept; place++)
    histogram_record(crew->histogram, turn->times[place]);
  turn->kept = 0;
}

static void keep_time(struct crew *crew, struct turn *turn, uint64_t nanoseconds)
{
  turn->times[turn->kept++] = nanoseconds;
  if (turn->kept < TURN_TIMES)
    return;
  pthread_mutex_lock(&crew->mutex);
  count_times(crew, turn);
  pthread_mutex_unlock(&crew->mutex);
}

// The clock is read before and after each operation, so that counting is in none of them. The time is looked at before
// a number is taken: every number below the greatest is then that of an operation which is done.
bool crew_measure(struct crew *crew, struct turn *turn, repeated *operation, void *context, struct refusal *refusal)
{
  const bool alone = crew->workers == 1;
  const uint64_t limit = crew->limit, operations = crew->operations;
  if (!wait_for_all(crew))
    return false;
  uint64_t begin = begin_first(crew, alone);
  const uint64_t first = atomic_load_explicit(&crew->first, memory_order_relaxed);
  for (;;) {
    if (!operation(context, turn->number, refusal))
      return false;
    turn->end = now();
    if (alone)
      histogram_record(crew->histogram, turn->end - begin);
    else
      keep_time(crew, turn, turn->end - begin);
    turn->done++;
    begin = now();
    if (begin - first >= limit)
      return true;
    uint64_t next = alone ? turn->number + 1 : atomic_fetch_add_explicit(&crew->next, 1, memory_order_relaxed);
    if (next >= operations)
      return true;
    turn->number = next;
  }
}

void crew_absent(struct crew *crew, size_t workers)
{
  pthread_mutex_lock(&crew->mutex);
  crew->ended += workers;
  pthread_mutex_unlock(&crew->mutex);
}

bool crew_leave(struct crew *crew, struct turn *turn)
{
  pthread_mutex_lock(&crew->mutex);
  if (++crew->ended == crew->workers) {
    crew->cpu_nanoseconds = cpu_time_since(crew->cpu_begin);
    pthread_cond_broadcast(&crew->changed);
  }
  crew->done += turn->done;
  if (turn->end > crew->end)
    crew->end = turn->end;
  count_times(crew, turn);
  while (crew->ended < crew->workers)
    pthread_cond_wait(&crew->changed, &crew->mutex);
  bool good = !crew->failed;
  pthread_mutex_unlock(&crew->mutex);
  return good;
}

uint64_t crew_nanoseconds(struct crew *crew)
{
  uint64_t first = atomic_load_explicit(&crew->first, memory_order_relaxed);
  // A clock that did not move is still one nanosecond to the reader, who divides by it.
  return crew->end > first ? crew->end - first : 1;
}
