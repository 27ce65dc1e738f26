#include "connection.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "crew.h"
#include "memory.h"
#include "steps.h"

// One worker of a run. What it never changes stands first, so that it writes nothing beside what the one before it
// writes in every operation.
struct worker {
  struct connection *connection;
  const struct run_request *run;
  const struct columns *data;
  struct crew *crew;
  void **handle; // of its own connection; NULL if every operation has another one
  pthread_t thread;
  struct steps steps;
  struct turn turn;
};

static bool order(const struct driver *driver, void *handle, const char *words, struct refusal *refusal)
{
  struct text text = {0};
  struct fetched none = {0};
  text_add_string(&text, words);
  bool good = driver->query(handle, &text, &none, refusal);
  text_free(&text);
  return good;
}

static bool connect_only(void *context, uint64_t number, struct refusal *refusal)
{
  struct worker *worker = context;
  const struct driver *driver = worker->connection->driver;
  void *handle;
  (void)number;
  if (!driver->open(&worker->connection->target, &handle, refusal))
    return false;
  driver->close(handle);
  return true;
}

static bool encode_only(void *context, uint64_t number, struct refusal *refusal)
{
  struct worker *worker = context;
  (void)refusal;
  steps_encode(&worker->steps, *worker->handle, number);
  return true;
}

static bool on_own(void *context, uint64_t number, struct refusal *refusal)
{
  struct worker *worker = context;
  return steps_operation(&worker->steps, *worker->handle, number, refusal);
}

// on_another makes a connection for the operation: what must be switched is switched inside it.
static bool on_another(void *context, uint64_t number, struct refusal *refusal)
{
  struct worker *worker = context;
  const struct driver *driver = worker->connection->driver;
  void *handle;
  if (!driver->open(&worker->connection->target, &handle, refusal))
    return false;
  bool good = (!worker->run->commit || order(driver, handle, "SET autocommit = 0", refusal)) &&
              steps_operation(&worker->steps, handle, number, refusal);
  driver->close(handle);
  return good;
}

static repeated *operation_of(const struct run_request *run)
{
  switch (run->kind) {
  case KIND_CONNECT: return connect_only;
  case KIND_ENCODE: return encode_only;
  default: return run->anew ? on_another : on_own;
  }
}

// make_ready does what is not timed before the first operation of the worker's own connection.
static bool make_ready(struct worker *worker, struct refusal *refusal)
{
  struct connection *connection = worker->connection;
  if (!worker->handle)
    return true;
  return (*worker->handle || connection->driver->open(&connection->target, worker->handle, refusal)) &&
         (!worker->run->commit || order(connection->driver, *worker->handle, "SET autocommit = 0", refusal)) &&
         steps_prepare(&worker->steps, *worker->handle, refusal);
}

static void close_own(struct worker *worker)
{
  steps_discard(&worker->steps);
  if (worker->handle && *worker->handle) {
    worker->connection->driver->close(*worker->handle);
    *worker->handle = NULL;
  }
}

// restore leaves the connection as `prepare` made it: no transaction of a run that failed, and autocommit on. A
// connection that does not do it is closed, so that the next run makes another one.
static bool restore(struct worker *worker, bool good, struct refusal *refusal)
{
  const struct driver *driver = worker->connection->driver;
  steps_discard(&worker->steps);
  if (!worker->handle || !*worker->handle)
    return true;
  if (driver->connected(*worker->handle) && (good || order(driver, *worker->handle, "ROLLBACK", refusal)) &&
      (!worker->run->commit || order(driver, *worker->handle, "SET autocommit = 1", refusal)))
    return true;
  close_own(worker);
  return false;
}

static void work(struct worker *worker)
{
  struct crew *crew = worker->crew;
  struct refusal refusal = {0};
  bool alone = crew->workers == 1;
  // Here, and not before the thread begins: the first memory that a thread asks for costs more than all later.
  worker->steps = steps_make(worker->connection->driver, worker->run, worker->data);
  bool good =
      make_ready(worker, &refusal) && crew_measure(crew, &worker->turn, operation_of(worker->run), worker, &refusal);
  if (!good) {
    crew_fail(crew, &refusal);
    // Another worker may wait for a lock that the transaction of this connection holds.
    if (!alone)
      close_own(worker);
  }
  if (!crew_leave(crew, &worker->turn) && !alone)
    close_own(worker);
  else if (!restore(worker, good, &refusal))
    crew_fail(crew, &refusal); // counts unless another one was before
}

static void *in_thread(void *context)
{
  struct worker *worker = context;
  const struct driver *driver = worker->connection->driver;
  driver->thread_begin();
  work(worker);
  driver->thread_end();
  return NULL;
}

// perform does the work of all; the first one works in this thread, and one that is alone needs no other.
static void perform(struct worker *workers, struct crew *crew)
{
  size_t started = 1;
  int error = 0;
  while (started < crew->workers && !error) {
    error = pthread_create(&workers[started].thread, NULL, in_thread, &workers[started]);
    started += !error;
  }
  if (error) {
    struct refusal refusal;
    failed(&refusal, "thread %zu of %zu cannot be started: %s", started + 1, crew->workers, strerror(error));
    crew_fail(crew, &refusal);
    crew_absent(crew, crew->workers - started);
  }
  work(&workers[0]);
  for (size_t place = 1; place < started; place++)
    pthread_join(workers[place].thread, NULL);
}

static struct worker *make_workers(struct connection *connection, const struct run_request *run,
                                   const struct columns *data, struct crew *crew)
{
  struct worker *workers = allocate(run->concurrency, sizeof *workers);
  bool own = run->kind != KIND_CONNECT && !run->anew;
  if (own && connection->count < run->concurrency) {
    connection->handles = reallocate(connection->handles, run->concurrency, sizeof *connection->handles);
    while (connection->count < run->concurrency)
      connection->handles[connection->count++] = NULL;
  }
  for (size_t place = 0; place < run->concurrency; place++)
    workers[place] = (struct worker){.connection = connection,
                                     .run = run,
                                     .data = data,
                                     .crew = crew,
                                     .handle = own ? &connection->handles[place] : NULL,
                                     .turn.number = place};
  return workers;
}

// summarize fills the outcome; the checksum is that of the operation with the greatest number.
static bool summarize(const struct worker *workers, struct crew *crew, struct outcome *outcome, struct refusal *refusal)
{
  const struct worker *newest = workers;
  *outcome = (struct outcome){
      .operations = crew->done, .nanoseconds = crew_nanoseconds(crew), .cpu_nanoseconds = crew->cpu_nanoseconds};
  for (size_t place = 0; place < crew->workers; place++) {
    outcome->rows += workers[place].steps.fetched.total;
    if (workers[place].turn.number > newest->turn.number)
      newest = &workers[place];
  }
  return fetched_checksum(&newest->steps.fetched, &outcome->checksum, refusal);
}

static void close_from(struct connection *connection, size_t place)
{
  for (; place < connection->count; place++) {
    if (connection->handles[place])
      connection->driver->close(connection->handles[place]);
    connection->handles[place] = NULL;
  }
}

bool connection_open(struct connection *connection, struct refusal *refusal)
{
  connection->handles = allocate(1, sizeof *connection->handles);
  connection->count = 1;
  return connection->driver->open(&connection->target, &connection->handles[0], refusal);
}

bool connection_run(struct connection *connection, const struct run_request *run, const struct columns *data,
                    struct histogram *histogram, struct outcome *outcome, struct refusal *refusal)
{
  struct crew crew;
  crew_begin(&crew, run, histogram);
  struct worker *workers = make_workers(connection, run, data, &crew);
  perform(workers, &crew);
  bool good = !crew.failed && summarize(workers, &crew, outcome, refusal);
  if (crew.failed) {
    *refusal = crew.refusal;
    // What one that is alone left is as it was. The connections of several are all made again.
    close_from(connection, run->concurrency > 1 ? 0 : 1);
  }
  for (size_t place = 0; place < run->concurrency; place++)
    steps_free(&workers[place].steps);
  free(workers);
  crew_free(&crew);
  return good;
}

void connection_close(struct connection *connection)
{
  close_from(connection, 0);
  free(connection->handles);
  json_decref(connection->request);
  *connection = (struct connection){0};
}
