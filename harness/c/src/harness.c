#include "harness.h"

#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "memory.h"

struct harness *harness_make(void)
{
  struct harness *harness = allocate(1, sizeof *harness);
  harness->histogram = allocate(1, sizeof *harness->histogram);
  return harness;
}

static struct data *find_data(struct harness *harness, const char *name)
{
  for (size_t place = 0; place < harness->data_count; place++)
    if (!strcmp(harness->data[place].name, name))
      return &harness->data[place];
  return NULL;
}

static struct named *find_connection(struct harness *harness, const char *name)
{
  for (size_t place = 0; place < harness->connection_count; place++)
    if (!strcmp(harness->connections[place].name, name))
      return &harness->connections[place];
  return NULL;
}

static void forget_connection(struct harness *harness, struct named *named)
{
  connection_close(&named->connection);
  free(named->name);
  *named = harness->connections[--harness->connection_count];
}

static bool hello(struct harness *harness, json_t *request, json_t *answer, struct refusal *refusal)
{
  const char *protocol;
  (void)harness;
  if (!read_word(request, "protocol", &protocol, refusal))
    return false;
  if (strcmp(protocol, PROTOCOL))
    return unsupported(refusal, "this harness speaks %s, not %s", PROTOCOL, protocol);
  json_t *list = json_array();
  for (const struct driver *const *driver = drivers; *driver; driver++) {
    json_t *schemes = json_object();
    for (int scheme = SCHEME_NONE + 1; scheme < SCHEMES; scheme++)
      if ((*driver)->schemes[scheme])
        json_object_set_new(schemes, scheme_name((enum scheme)scheme), json_string((*driver)->schemes[scheme]));
    json_array_append_new(list, json_pack("{s:s, s:[s], s:o}", "name", (*driver)->name, "versions",
                                          (*driver)->version(), "schemes", schemes));
  }
  json_object_set_new(answer, "protocol", json_string(PROTOCOL));
  json_object_set_new(answer, "language", json_string("C"));
  json_object_set_new(answer, "runtime", json_string("gcc " __VERSION__));
  json_object_set_new(answer, "clock", json_string("clock_gettime(CLOCK_MONOTONIC)"));
  json_object_set_new(answer, "drivers", list);
  return true;
}

static bool keep(struct harness *harness, json_t *request, json_t *answer, struct refusal *refusal)
{
  const char *name;
  json_t *rows;
  struct columns columns = {0};
  if (!read_data(request, &name, &rows, refusal))
    return false;
  if (!columns_of_json(rows, &columns, refusal)) {
    columns_free(&columns);
    return false;
  }
  struct data *data = find_data(harness, name);
  if (data) {
    columns_free(&data->columns);
  } else {
    harness->data = reallocate(harness->data, harness->data_count + 1, sizeof *harness->data);
    data = &harness->data[harness->data_count++];
    data->name = duplicate(name, strlen(name));
  }
  data->columns = columns;
  json_object_set_new(answer, "rows", json_integer((json_int_t)columns.rows));
  return true;
}

static const struct driver *find_driver(const struct prepare_request *prepare, struct refusal *refusal)
{
  for (const struct driver *const *driver = drivers; *driver; driver++) {
    const char *version = (*driver)->version();
    if (strcmp((*driver)->name, prepare->driver))
      continue;
    if (!*prepare->version || !strcmp(prepare->version, version))
      return *driver;
    unsupported(refusal, "of %s this harness has %s, not %s", prepare->driver, version, prepare->version);
    return NULL;
  }
  unsupported(refusal, "there is no driver %s in this harness", prepare->driver);
  return NULL;
}

static const char *environment(const char *name)
{
  const char *value = getenv(name);
  return value ? value : "";
}

static bool set_target(struct target *target, const struct prepare_request *prepare, struct refusal *refusal)
{
  *target = (struct target){
      .host = prepare->host, .port = prepare->port, .database = prepare->database, .options = prepare->options};
  target->user = environment("ASSAY_USERNAME");
  target->password = environment("ASSAY_PASSWORD");
  target->authority = prepare->encrypted ? environment("ASSAY_CA") : NULL;
  if (target->authority && !*target->authority)
    return failed(refusal, "tls is Required, and ASSAY_CA names no file with a certificate authority");
  return true;
}

// ask_cipher asks the server over the connection; without TLS the answer is empty.
static bool ask_cipher(struct connection *connection, json_t *answer, struct refusal *refusal)
{
  static const struct text ask = {.bytes = "SHOW SESSION STATUS LIKE 'Ssl_cipher'", .length = 37};
  struct fetched status = {.wanted = true};
  const char *cipher = "";
  size_t length = 0;
  bool good = connection->driver->query(connection->handle, &ask, &status, refusal);
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
  struct prepare_request prepare;
  struct connection connection = {0};
  if (!read_prepare(request, &prepare, refusal))
    return false;
  connection.driver = find_driver(&prepare, refusal);
  if (!connection.driver || !set_target(&connection.target, &prepare, refusal))
    return false;
  struct named *old = find_connection(harness, prepare.connection);
  if (old)
    forget_connection(harness, old);
  if (!connection.driver->open(&connection.target, &connection.handle, refusal))
    return false;
  connection.request = json_incref(request);
  if (!ask_cipher(&connection, answer, refusal)) {
    connection_close(&connection);
    return false;
  }
  harness->connections = reallocate(harness->connections, harness->connection_count + 1, sizeof *harness->connections);
  harness->connections[harness->connection_count++] =
      (struct named){.name = duplicate(prepare.connection, strlen(prepare.connection)), .connection = connection};
  json_object_set_new(answer, "version", json_string(connection.driver->version()));
  json_object_set_new(answer, "library", json_string(connection.driver->library()));
  return true;
}

static json_t *buckets(const struct histogram *histogram)
{
  json_t *list = json_array();
  for (size_t place = 0; place < HISTOGRAM_BUCKETS; place++)
    if (histogram->counts[place])
      json_array_append_new(
          list, json_pack("[I, I]", (json_int_t)histogram_lowest(place), (json_int_t)histogram->counts[place]));
  return list;
}

static bool run(struct harness *harness, json_t *request, json_t *answer, struct refusal *refusal)
{
  struct run_request run;
  struct outcome outcome;
  if (!read_run(request, &run, refusal))
    return false;
  struct named *named = find_connection(harness, run.connection);
  struct data *data = run.data ? find_data(harness, run.data) : NULL;
  if (!named)
    return failed(refusal, "there is no connection %s: prepare opens it", run.connection);
  if (run.data && !data)
    return failed(refusal, "there are no rows under the name %s: data keeps them", run.data);
  if (!connection_run(&named->connection, &run, data ? &data->columns : NULL, harness->histogram, &outcome, refusal))
    return false;
  json_object_set_new(answer, "operations", json_integer((json_int_t)outcome.operations));
  json_object_set_new(answer, "nanoseconds", json_integer((json_int_t)outcome.nanoseconds));
  json_object_set_new(answer, "rows", json_integer((json_int_t)outcome.rows));
  json_object_set_new(answer, "checksum", json_integer((json_int_t)outcome.checksum));
  json_object_set_new(answer, "histogram", buckets(harness->histogram));
  return true;
}

static bool close_one(struct harness *harness, json_t *request, json_t *answer, struct refusal *refusal)
{
  const char *name;
  (void)answer;
  if (!read_word(request, "connection", &name, refusal))
    return false;
  struct named *named = find_connection(harness, name);
  if (!named)
    return failed(refusal, "there is no connection %s to close", name);
  forget_connection(harness, named);
  return true;
}

static bool act(struct harness *harness, json_t *request, json_t *answer, struct refusal *refusal)
{
  static const struct {
    const char *name;
    bool (*act)(struct harness *, json_t *, json_t *, struct refusal *);
  } acts[] = {{"hello", hello}, {"data", keep}, {"prepare", prepare}, {"run", run}, {"close", close_one}};
  json_t *word = json_incref(json_object_get(request, "do"));
  const char *name = json_is_string(word) ? json_string_value(word) : "";
  bool good = false, known = false;
  json_object_del(request, "do");
  for (size_t place = 0; !known && place < sizeof acts / sizeof *acts; place++) {
    known = !strcmp(acts[place].name, name);
    good = known && acts[place].act(harness, request, answer, refusal);
  }
  if (!known)
    unsupported(refusal, "there is no request \"%s\": hello, data, prepare, run and close are", name);
  json_decref(word);
  return good;
}

char *harness_answer(struct harness *harness, const char *line, size_t length)
{
  struct refusal refusal = {0};
  json_error_t error;
  json_t *answer = json_object(), *request = json_loadb(line, length, 0, &error);
  // Without a request there is no id; 0 says so, because the agent waits for an answer.
  json_t *id = json_is_object(request) ? json_incref(json_object_get(request, "id")) : NULL;
  bool good = false;
  if (json_is_object(request)) {
    json_object_del(request, "id");
    good = act(harness, request, answer, &refusal);
  } else {
    failed(&refusal, "this is no request: %s", request ? "it is no object" : error.text);
  }
  if (!good)
    json_object_clear(answer);
  json_object_set_new(answer, "id", id ? id : json_integer(0));
  json_object_set_new(answer, "state",
                      json_string(good                            ? "ok"
                                  : refusal.state == STATE_FAILED ? "failed"
                                                                  : "unsupported"));
  if (!good) {
    json_t *reason = json_string(refusal.reason);
    json_object_set_new(answer, "reason", reason ? reason : json_string("the driver's words are not UTF-8"));
  }
  char *text = json_dumps(answer, JSON_COMPACT);
  json_decref(answer);
  json_decref(request);
  return text;
}

void harness_free(struct harness *harness)
{
  while (harness->connection_count)
    forget_connection(harness, harness->connections);
  for (size_t place = 0; place < harness->data_count; place++) {
    columns_free(&harness->data[place].columns);
    free(harness->data[place].name);
  }
  free(harness->data);
  free(harness->connections);
  free(harness->histogram);
  free(harness);
}
