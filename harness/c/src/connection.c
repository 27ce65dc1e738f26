#include "connection.h"

#include <time.h>

#include "steps.h"

// What the clock measures; one of several operations.
struct timed {
  struct connection *connection;
  struct steps *steps;
  struct histogram *histogram;
  const struct run_request *run;
};

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

static bool order(struct connection *connection, void *handle, const char *words, struct refusal *refusal)
{
  struct text text = {0};
  struct fetched none = {0};
  text_add_string(&text, words);
  bool good = connection->driver->query(handle, &text, &none, refusal);
  text_free(&text);
  return good;
}

static bool connect_only(struct timed *timed, struct refusal *refusal)
{
  const struct driver *driver = timed->connection->driver;
  void *handle;
  if (!driver->open(&timed->connection->target, &handle, refusal))
    return false;
  driver->close(handle);
  return true;
}

static bool encode_only(struct timed *timed, struct refusal *refusal)
{
  (void)refusal;
  steps_encode(timed->steps, timed->connection->handle);
  return true;
}

static bool on_this(struct timed *timed, struct refusal *refusal)
{
  return steps_operation(timed->steps, timed->connection->handle, refusal);
}

// on_another makes a connection for the operation: what must be switched is switched inside it.
static bool on_another(struct timed *timed, struct refusal *refusal)
{
  const struct driver *driver = timed->connection->driver;
  void *handle;
  if (!driver->open(&timed->connection->target, &handle, refusal))
    return false;
  bool good = (!timed->run->commit || order(timed->connection, handle, "SET autocommit = 0", refusal)) &&
              steps_operation(timed->steps, handle, refusal);
  driver->close(handle);
  return good;
}

// measure repeats an operation until the limit, at least once. The clock is read before and after each one, so that
// counting is in none of them.
static bool measure(struct timed *timed, bool (*operation)(struct timed *, struct refusal *), struct outcome *outcome,
                    struct refusal *refusal)
{
  const struct run_request *run = timed->run;
  uint64_t limit = (uint64_t)(run->seconds * 1e9), operations = 0;
  histogram_clear(timed->histogram);
  uint64_t used = cpu_time();
  uint64_t first = now(), begin = first;
  for (;;) {
    if (!operation(timed, refusal))
      return false;
    uint64_t end = now();
    histogram_record(timed->histogram, end - begin);
    operations++;
    begin = now();
    if (run->operations ? operations < run->operations : begin - first < limit)
      continue;
    outcome->cpu_nanoseconds = cpu_time_since(used);
    outcome->operations = operations;
    // A clock that did not move is still one nanosecond to the reader, who divides by it.
    outcome->nanoseconds = end > first ? end - first : 1;
    return true;
  }
}

// restore leaves the connection as `prepare` made it: no transaction of a run that failed, and autocommit on. A
// connection that does not do it is closed, so that the next run makes another one.
static bool restore(struct connection *connection, bool commit, bool good, struct refusal *refusal)
{
  const struct driver *driver = connection->driver;
  if (driver->connected(connection->handle) && (good || order(connection, connection->handle, "ROLLBACK", refusal)) &&
      (!commit || order(connection, connection->handle, "SET autocommit = 1", refusal)))
    return true;
  driver->close(connection->handle);
  connection->handle = NULL;
  return false;
}

static bool dedicated(struct timed *timed, struct outcome *outcome, struct refusal *refusal)
{
  struct connection *connection = timed->connection;
  struct refusal later;
  bool commit = timed->run->commit;
  bool good = (!commit || order(connection, connection->handle, "SET autocommit = 0", refusal)) &&
              steps_prepare(timed->steps, connection->handle, refusal) && measure(timed, on_this, outcome, refusal);
  steps_discard(timed->steps);
  bool restored = restore(connection, commit, good, good ? refusal : &later);
  return good && restored;
}

static bool by_session(struct timed *timed, struct outcome *outcome, struct refusal *refusal)
{
  switch (timed->run->kind) {
  case KIND_CONNECT: return measure(timed, connect_only, outcome, refusal);
  case KIND_ENCODE: return measure(timed, encode_only, outcome, refusal);
  default: break;
  }
  if (timed->run->anew)
    return measure(timed, on_another, outcome, refusal);
  return dedicated(timed, outcome, refusal);
}

bool connection_run(struct connection *connection, const struct run_request *run, const struct columns *data,
                    struct histogram *histogram, struct outcome *outcome, struct refusal *refusal)
{
  struct steps steps = steps_make(connection->driver, run, data);
  struct timed timed = {.connection = connection, .steps = &steps, .histogram = histogram, .run = run};
  *outcome = (struct outcome){0};
  bool good = connection->handle || connection->driver->open(&connection->target, &connection->handle, refusal);
  good = good && by_session(&timed, outcome, refusal);
  if (good) {
    outcome->rows = steps.fetched.total;
    good = fetched_checksum(&steps.fetched, &outcome->checksum, refusal);
  }
  steps_free(&steps);
  return good;
}

void connection_close(struct connection *connection)
{
  if (connection->handle)
    connection->driver->close(connection->handle);
  connection->handle = NULL;
  json_decref(connection->request);
  connection->request = NULL;
}
