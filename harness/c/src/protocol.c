#include "protocol.h"

#include <string.h>

static const char *const kinds[] = {"Execute", "Query", "Connect", "Encode", NULL};
static const char *const transactions[] = {"Autocommit", "One", NULL};
static const char *const sessions[] = {"Dedicated", "Pool", "New", NULL};
static const char *const encryptions[] = {"Disabled", "Required", NULL};
static const char *const schemes[] = {"",         "SingleRow",      "Prepared", "ExecuteMany", "Pipelined",
                                      "MultiRow", "MultiStatement", "InList",   "Batch",       NULL};

const char *scheme_name(enum scheme scheme) { return schemes[scheme]; }

// unpack reads fields as json_unpack_ex says, and refuses a field that the format does not name.
#define UNPACK(request, refusal, ...)                                                                                  \
  do {                                                                                                                 \
    json_error_t error;                                                                                                \
    if (json_unpack_ex(request, &error, JSON_STRICT, __VA_ARGS__))                                                     \
      return unsupported(refusal, "the request is not as the protocol has it: %s", error.text);                        \
  } while (0)

// choose finds a word in a list.
static bool choose(const char *const *words, const char *word, const char *field, int *place, struct refusal *refusal)
{
  for (*place = 0; words[*place]; (*place)++)
    if (!strcmp(words[*place], word))
      return true;
  return unsupported(refusal, "there is no %s %s", field, word);
}

static bool texts_only(json_t *options, struct refusal *refusal)
{
  const char *name;
  json_t *value;
  json_object_foreach(options, name, value)
  {
    if (!json_is_string(value))
      return unsupported(refusal, "option %s: its value must be a text", name);
  }
  return true;
}

bool read_prepare(json_t *request, struct prepare_request *prepare, struct refusal *refusal)
{
  const char *tls = "Disabled";
  int port = 0, encrypted;
  *prepare = (struct prepare_request){.version = "", .host = "", .database = ""};
  UNPACK(request, refusal, "{s:s, s:s, s?s, s?s, s?i, s?s, s?s, s?o}", "connection", &prepare->connection, "driver",
         &prepare->driver, "version", &prepare->version, "host", &prepare->host, "port", &port, "database",
         &prepare->database, "tls", &tls, "options", &prepare->options);
  if (port < 0 || port > 65535)
    return failed(refusal, "port %d is not between 0 and 65535", port);
  if (!choose(encryptions, tls, "tls", &encrypted, refusal))
    return false;
  prepare->port = (unsigned)port;
  prepare->encrypted = encrypted;
  return texts_only(prepare->options, refusal);
}

bool read_run(json_t *request, struct run_request *run, struct refusal *refusal)
{
  const char *kind, *scheme = "", *transaction = "Autocommit", *session = "Dedicated";
  json_int_t rows = 0, chunk = 0, operations = 0;
  int inlined = 0, kind_place, scheme_place, transaction_place, session_place;
  *run = (struct run_request){.statement = ""};
  UNPACK(request, refusal, "{s:s, s:s, s?s, s?s, s?s, s?s, s?s, s?I, s?I, s?b, s?I, s?F}", "connection",
         &run->connection, "kind", &kind, "scheme", &scheme, "transaction", &transaction, "session", &session,
         "statement", &run->statement, "data", &run->data, "rowsPerOperation", &rows, "chunk", &chunk, "inline",
         &inlined, "operations", &operations, "seconds", &run->seconds);
  if (rows < 0 || chunk < 0 || operations < 0 || run->seconds < 0)
    return failed(refusal, "rowsPerOperation, chunk, operations and seconds must not be below 0");
  if (!choose(kinds, kind, "kind", &kind_place, refusal) ||
      !choose(schemes, scheme, "scheme", &scheme_place, refusal) ||
      !choose(transactions, transaction, "transaction", &transaction_place, refusal) ||
      !choose(sessions, session, "session", &session_place, refusal))
    return false;
  run->kind = (enum kind)kind_place;
  run->scheme = (enum scheme)scheme_place;
  run->commit = transaction_place == 1;
  run->session = (enum session)session_place;
  run->rows_per_operation = (size_t)rows;
  run->chunk = (size_t)chunk;
  run->inline_first = inlined;
  run->operations = (uint64_t)operations;
  return true;
}

bool read_data(json_t *request, const char **name, json_t **rows, struct refusal *refusal)
{
  UNPACK(request, refusal, "{s:s, s:o}", "name", name, "rows", rows);
  return json_is_array(*rows) || failed(refusal, "rows must be an array");
}

bool read_word(json_t *request, const char *field, const char **word, struct refusal *refusal)
{
  UNPACK(request, refusal, "{s:s}", field, word);
  return true;
}
