#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "memory.h"

struct harness *harness_make(void) { return allocate(1, sizeof(struct harness)); }

static struct named *find(struct named *list, const char *name)
{
  while (list && strcmp(list->name, name))
    list = list->next;
  return list;
}

static struct named *add(struct named **list, const char *name)
{
  struct named *named = allocate(1, sizeof *named);
  named->name = duplicate(name, strlen(name));
  named->next = *list;
  *list = named;
  return named;
}

static void forget(struct named **list, struct named *named)
{
  while (*list != named)
    list = &(*list)->next;
  *list = named->next;
  columns_free(&named->columns);
  if (named->connection.driver)
    connection_close(&named->connection);
  free(named->name);
  free(named);
}

static void add_word(json_t *object, const char *name, const char *word)
{
  if (word)
    json_object_set_new(object, name, json_string(word));
}

static json_t *describe(const struct driver *driver)
{
  json_t *can = json_object(), *cannot = json_object(), *options = json_object();
  for (int scheme = 0; scheme < SCHEMES; scheme++)
    add_word(can, scheme_name((enum scheme)scheme), driver->schemes[scheme]);
  add_word(can, "Pool", driver->pool);
  add_word(can, "Encode", driver->encode);
  add_word(can, "Concurrency", driver->concurrency);
  if (!driver->pool)
    add_word(cannot, "Pool", "it has no pool of connections");
  for (const char *const *option = driver->options; *option; option += 2)
    add_word(options, option[0], option[1]);
  return json_pack("{s:s, s:[s], s:o, s:o, s:o}", "name", driver->name, "versions", driver->version(), "can", can,
                   "cannot", cannot, "options", options);
}

static void hello(json_t *answer)
{
  json_t *list = json_array();
  for (const struct driver *const *driver = drivers; *driver; driver++)
    json_array_append_new(list, describe(*driver));
  json_object_set_new(answer, "protocol", json_string("assay.dev/driver/v2"));
  json_object_set_new(answer, "language", json_string("C"));
  json_object_set_new(answer, "runtime", json_string("gcc " __VERSION__));
  json_object_set_new(answer, "clock", json_string("clock_gettime(CLOCK_MONOTONIC)"));
  json_object_set_new(answer, "drivers", list);
}

static struct target target_of(json_t *request)
{
  return (struct target){.host = text_of(request, "host"),
                         .port = (unsigned)json_integer_value(json_object_get(request, "port")),
                         .database = text_of(request, "database"),
                         .options = json_object_get(request, "options"),
                         .user = getenv("ASSAY_USERNAME"),
                         .password = getenv("ASSAY_PASSWORD"),
                         .authority = json_is_true(json_object_get(request, "tls")) ? getenv("ASSAY_CA") : NULL};
}

// ask_cipher asks the server over the connection; without TLS the answer is empty.
static bool ask_cipher(struct connection *connection, json_t *answer, struct refusal *refusal)
{
  static const struct text ask = {.bytes = "SHOW SESSION STATUS LIKE 'Ssl_cipher'", .length = 37};
  struct fetched status = {.wanted = true};
  const char *cipher = "";
  size_t length = 0;
  bool good = connection->driver->query(connection->handles[0], &ask, &status, refusal);
  if (good && status.used == 2 && status.cells[1].kind == CELL_TEXT) {
    cipher = status.bytes.bytes + status.cells[1].text.place;
    length = status.cells[1].text.length;
  }
  json_object_set_new(answer, "cipher", length ? json_stringn(cipher, length) : json_string(""));
  fetched_free(&status);
  return good;
}

static bool prepare(struct harness *harness, json_t *request, json_t *answer, struct refusal *refusal)
{
  struct named *named = add(&harness->connections, text_of(request, "connection"));
  struct connection *connection = &named->connection;
  const struct driver *const *driver = drivers;
  while (strcmp((*driver)->name, text_of(request, "driver")))
    driver++;
  *connection =
      (struct connection){.driver = *driver, .target = target_of(request), .request = json_incref(request)};
  if (!connection_open(connection, refusal) || !ask_cipher(connection, answer, refusal)) {
    forget(&harness->connections, named);
    return false;
  }
  json_object_set_new(answer, "version", json_string(connection->driver->version()));
  json_object_set_new(answer, "library", json_string(connection->driver->library()));
  return true;
}

static json_t *buckets(const struct histogram *histogram)
{
  json_t *list = json_array();
  for (size_t place = 0; place < HISTOGRAM_BUCKETS; place++)
    if (histogram->counts[place])
      json_array_append_new(list, json_pack("[I, I]", (json_int_t)place, (json_int_t)histogram->counts[place]));
  return list;
}

static bool run(struct harness *harness, json_t *request, json_t *answer, struct refusal *refusal)
{
  static const struct columns without = {.rows = 1};
  struct run_request run = read_run(request);
  struct outcome outcome;
  struct connection *connection = &find(harness->connections, text_of(request, "connection"))->connection;
  struct named *data = find(harness->data, text_of(request, "data"));
  if (!connection_run(connection, &run, data ? &data->columns : &without, &harness->histogram, &outcome, refusal))
    return false;
  json_object_set_new(answer, "operations", json_integer((json_int_t)outcome.operations));
  json_object_set_new(answer, "nanoseconds", json_integer((json_int_t)outcome.nanoseconds));
  if (outcome.cpu_nanoseconds)
    json_object_set_new(answer, "cpuNanoseconds", json_integer((json_int_t)outcome.cpu_nanoseconds));
  json_object_set_new(answer, "rows", json_integer((json_int_t)outcome.rows));
  json_object_set_new(answer, "checksum", json_integer((json_int_t)outcome.checksum));
  json_object_set_new(answer, "histogram", buckets(&harness->histogram));
  return true;
}

static bool act(struct harness *harness, json_t *request, json_t *answer, struct refusal *refusal)
{
  const char *what = text_of(request, "do");
  if (!strcmp(what, "run"))
    return run(harness, request, answer, refusal);
  if (!strcmp(what, "prepare"))
    return prepare(harness, request, answer, refusal);
  if (!strcmp(what, "hello"))
    hello(answer);
  else if (!strcmp(what, "data"))
    add(&harness->data, text_of(request, "name"))->columns = columns_of_json(json_object_get(request, "rows"));
  else
    forget(&harness->connections, find(harness->connections, text_of(request, "connection")));
  return true;
}

char *harness_answer(struct harness *harness, const char *line, size_t length)
{
  struct refusal refusal = {0};
  json_t *answer = json_object(), *request = json_loadb(line, length, 0, NULL);
  const char *state = "ok";
  if (!act(harness, request, answer, &refusal)) {
    state = refusal.state == STATE_FAILED ? "failed" : "unsupported";
    json_t *reason = json_string(refusal.reason);
    json_object_clear(answer);
    json_object_set_new(answer, "reason", reason ? reason : json_string("the driver's words are not UTF-8"));
    json_object_set_new(answer, "code", json_sprintf("%u", refusal.code));
  }
  json_object_set(answer, "id", json_object_get(request, "id"));
  json_object_set_new(answer, "state", json_string(state));
  char *text = json_dumps(answer, JSON_COMPACT);
  json_decref(answer);
  json_decref(request);
  return text;
}

void harness_free(struct harness *harness)
{
  while (harness->connections)
    forget(&harness->connections, harness->connections);
  while (harness->data)
    forget(&harness->data, harness->data);
  free(harness);
}
