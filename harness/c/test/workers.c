// Runs of one and of several workers with a driver that keeps what is done with it.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "check.h"
#include "columns.h"
#include "connection.h"
#include "driver.h"
#include "memory.h"

#define ROWS 1000
#define MANY 5000000

// What the driver has seen, and what goes wrong there.
static struct {
  pthread_mutex_t mutex;
  unsigned times[ROWS]; // of each row, that it was executed
  unsigned executed;
  int order[8]; // of the first rows
  unsigned bad; // the execution that fails, from 1; 0: none
  int opened, closed, most;
  int switched, restored; // autocommit: off, on
} seen = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void forget_all(unsigned bad, int most)
{
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  memset(&seen, 0, sizeof seen);
  seen.mutex = mutex;
  seen.bad = bad;
  seen.most = most;
}

static const char *version(void) { return "1"; }

static void begin_nothing(void) {}

static bool open_one(const struct target *target, void **connection, struct refusal *refusal)
{
  (void)target;
  pthread_mutex_lock(&seen.mutex);
  bool good = seen.opened < seen.most;
  seen.opened += good;
  pthread_mutex_unlock(&seen.mutex);
  if (!good)
    return failed(refusal, "too many connections");
  *connection = allocate(1, 1);
  return true;
}

static void close_one(void *connection)
{
  free(connection);
  pthread_mutex_lock(&seen.mutex);
  seen.closed++;
  pthread_mutex_unlock(&seen.mutex);
}

static void execute(int row)
{
  if (seen.executed < sizeof seen.order / sizeof *seen.order)
    seen.order[seen.executed] = row;
  seen.executed++;
  seen.times[row]++;
}

static bool query(void *connection, const struct text *text, struct fetched *fetched, struct refusal *refusal)
{
  static const char off[] = "SET autocommit = 0", on[] = "SET autocommit = 1", row[] = "SELECT ";
  bool good = true;
  (void)connection;
  pthread_mutex_lock(&seen.mutex);
  seen.switched += text->length == sizeof off - 1 && !memcmp(text->bytes, off, text->length);
  seen.restored += text->length == sizeof on - 1 && !memcmp(text->bytes, on, text->length);
  if (!memcmp(text->bytes, row, sizeof row - 1)) {
    char number[16] = {0};
    memcpy(number, text->bytes + sizeof row - 1, text->length - sizeof row + 1);
    execute(atoi(number));
    good = seen.executed != seen.bad;
    struct cell *cell = fetched_cell(fetched);
    cell->kind = CELL_INTEGER;
    cell->integer = atoi(number);
    fetched_end_row(fetched);
  }
  pthread_mutex_unlock(&seen.mutex);
  return good || failed(refusal, "bad row");
}

static bool connected(void *connection)
{
  (void)connection;
  return true;
}

static const struct driver fake_driver = {.name = "fake",
                                          .version = version,
                                          .thread_begin = begin_nothing,
                                          .thread_end = begin_nothing,
                                          .open = open_one,
                                          .close = close_one,
                                          .query = query,
                                          .connected = connected};

static uint32_t checksum_of(unsigned row)
{
  char line[16];
  int length = snprintf(line, sizeof line, "%u\n", row);
  return (uint32_t)crc32(0, (const Bytef *)line, (uInt)length);
}

static uint64_t counted(const struct histogram *histogram)
{
  uint64_t sum = 0;
  for (size_t place = 0; place < HISTOGRAM_BUCKETS; place++)
    sum += histogram->counts[place];
  return sum;
}

// What a run is done with; the rows are the numbers from 0 on.
struct stand {
  struct connection connection;
  struct columns columns;
  struct histogram *histogram;
  struct outcome outcome;
  struct refusal refusal;
};

static struct stand stand_make(size_t rows)
{
  json_t *list = json_array();
  for (size_t row = 0; row < rows; row++)
    json_array_append_new(list, json_pack("[I]", (json_int_t)row));
  struct stand stand = {.connection = {.driver = &fake_driver},
                        .columns = columns_of_json(list),
                        .histogram = allocate(1, sizeof(struct histogram))};
  json_decref(list);
  return stand;
}

static void stand_free(struct stand *stand)
{
  connection_close(&stand->connection);
  columns_free(&stand->columns);
  free(stand->histogram);
}

static bool stand_run(struct stand *stand, size_t concurrency, uint64_t operations, bool commit)
{
  struct run_request run = {.kind = KIND_QUERY,
                            .scheme = SCHEME_SINGLE_ROW,
                            .commit = commit,
                            .statement = "SELECT ?",
                            .head = "",
                            .group = "",
                            .separator = "",
                            .tail = "",
                            .rows_per_operation = 1,
                            .chunk = 1,
                            .concurrency = concurrency,
                            .operations = operations,
                            .seconds = operations ? 0 : 0.02};
  return connection_run(&stand->connection, &run, &stand->columns, stand->histogram, &stand->outcome, &stand->refusal);
}

static void test_one(void)
{
  static const int want[] = {0, 1, 2, 0, 1};
  forget_all(0, 1);
  struct stand stand = stand_make(3);
  CHECK(stand_run(&stand, 1, 5, false), "a run of one worker: %s", stand.refusal.reason);
  CHECK(!memcmp(seen.order, want, sizeof want), "one worker does not take the rows in their order");
  CHECK(stand.outcome.checksum == checksum_of(1) && stand.outcome.rows == 5 && counted(stand.histogram) == 5,
        "one worker does not do 5 operations of which the last one has the row 1");
  stand_free(&stand);
}

static void test_several(void)
{
  forget_all(0, 4);
  struct stand stand = stand_make(ROWS);
  CHECK(stand_run(&stand, 4, ROWS, true), "a run of 4 workers: %s", stand.refusal.reason);
  for (size_t row = 0; row < ROWS; row++)
    CHECK(seen.times[row] == 1, "row %zu was executed %u times", row, seen.times[row]);
  CHECK(stand.outcome.checksum == checksum_of(ROWS - 1), "the checksum is not that of the greatest number");
  CHECK(stand.outcome.operations == ROWS && stand.outcome.rows == ROWS && counted(stand.histogram) == ROWS,
        "of %d operations not all are counted", ROWS);
  CHECK(seen.switched == 4 && seen.restored == 4, "autocommit was switched off %d times and on %d times", seen.switched,
        seen.restored);
  // The connections stay, and fewer workers take some of them.
  CHECK(stand_run(&stand, 2, 2, false) && stand_run(&stand, 1, 1, false), "fewer workers: %s", stand.refusal.reason);
  CHECK(seen.opened == 4 && seen.closed == 0, "%d connections were opened, and %d closed", seen.opened, seen.closed);
  stand_free(&stand);
  CHECK(seen.closed == 4, "%d connections of 4 were closed in the end", seen.closed);
}

static void test_time(void)
{
  forget_all(0, 3);
  struct stand stand = stand_make(7);
  CHECK(stand_run(&stand, 3, 0, false), "a run of a time: %s", stand.refusal.reason);
  uint64_t done = stand.outcome.operations;
  CHECK(done >= 3 && done == seen.executed, "%llu operations are said, and %u were done", (unsigned long long)done,
        seen.executed);
  for (size_t row = 0; row < 7; row++)
    CHECK(seen.times[row] == (done + 6 - row) / 7, "row %zu was executed %u times of %llu: there are gaps", row,
          seen.times[row], (unsigned long long)done);
  CHECK(stand.outcome.checksum == checksum_of((unsigned)((done - 1) % 7)),
        "the checksum is not that of the greatest number");
  stand_free(&stand);
}

static void test_failure(void)
{
  forget_all(50, 8);
  struct stand stand = stand_make(ROWS);
  CHECK(!stand_run(&stand, 4, MANY, true) && !strcmp(stand.refusal.reason, "bad row"), "no failure but: %s",
        stand.refusal.reason);
  CHECK(seen.executed < MANY, "after the failure the others go on");
  CHECK(seen.opened == 4 && seen.closed == 4 && seen.restored == 0, "the connections are kept after a failure");
  seen.bad = 0;
  CHECK(stand_run(&stand, 4, 4, false) && seen.opened == 8, "the next run: %s", stand.refusal.reason);
  stand_free(&stand);
}

static void test_unready(void)
{
  forget_all(0, 2);
  struct stand stand = stand_make(ROWS);
  CHECK(!stand_run(&stand, 4, 4, false) && !strcmp(stand.refusal.reason, "too many connections"), "no failure but: %s",
        stand.refusal.reason);
  CHECK(seen.executed == 0 && seen.closed == 2, "%u operations began, though not all workers were ready",
        seen.executed);
  stand_free(&stand);
}

void test_workers(void)
{
  test_one();
  test_several();
  test_time();
  test_failure();
  test_unready();
}
