// The driver that does nothing: it measures the harness. It is called through pointers, so the compiler cannot leave
// out what the harness hands over.
#include "driver.h"

#define NOTHING "nothing"

static char something;
static const char *const no_options[] = {NULL};

static const char *version(void) { return "1"; }

static const char *library(void) { return ""; }

static void begin_nothing(void) {}

static bool open_nothing(const struct target *target, void **connection, struct refusal *refusal)
{
  (void)target, (void)refusal;
  *connection = &something;
  return true;
}

static void close_nothing(void *connection) { (void)connection; }

static bool query(void *connection, const struct text *text, struct fetched *fetched, struct refusal *refusal)
{
  (void)connection, (void)text, (void)fetched, (void)refusal;
  return true;
}

static void quote(void *connection, struct text *text, const char *value, size_t length)
{
  (void)connection;
  text_add(text, value, length);
}

static bool send_nothing(void *connection, const struct text *text, struct refusal *refusal)
{
  (void)connection, (void)text, (void)refusal;
  return true;
}

static bool receive(void *connection, struct fetched *fetched, struct refusal *refusal)
{
  (void)connection, (void)fetched, (void)refusal;
  return true;
}

static bool full(void *connection)
{
  (void)connection;
  return false;
}

static bool connected(void *connection)
{
  (void)connection;
  return true;
}

static bool prepare(void *connection, const char *text, const struct columns *columns, void **statement,
                    struct refusal *refusal)
{
  (void)connection, (void)text, (void)columns, (void)refusal;
  *statement = &something;
  return true;
}

static bool execute(void *statement, size_t row, struct fetched *fetched, struct refusal *refusal)
{
  (void)statement, (void)row, (void)fetched, (void)refusal;
  return true;
}

static bool execute_many(void *statement, size_t row, size_t rows, struct refusal *refusal)
{
  (void)statement, (void)row, (void)rows, (void)refusal;
  return true;
}

const struct driver null_driver = {
    .name = "null",
    .schemes =
        {
            [SCHEME_SINGLE_ROW] = NOTHING,
            [SCHEME_PREPARED] = NOTHING,
            [SCHEME_EXECUTE_MANY] = NOTHING,
            [SCHEME_PIPELINED] = NOTHING,
            [SCHEME_MULTI_ROW] = NOTHING,
            [SCHEME_MULTI_STATEMENT] = NOTHING,
            [SCHEME_IN_LIST] = NOTHING,
            [SCHEME_BATCH] = NOTHING,
        },
    .pool = NOTHING,
    .encode = NOTHING,
    .concurrency = "threads of POSIX that do nothing",
    .options = no_options,
    .version = version,
    .library = library,
    .thread_begin = begin_nothing,
    .thread_end = begin_nothing,
    .open = open_nothing,
    .close = close_nothing,
    .query = query,
    .quote = quote,
    .send = send_nothing,
    .receive = receive,
    .full = full,
    .connected = connected,
    .prepare = prepare,
    .execute = execute,
    .execute_many = execute_many,
    .discard = close_nothing,
};
