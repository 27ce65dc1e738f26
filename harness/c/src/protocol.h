// What the agent asks, as docs/contracts/driver-protocol.v1.schema.json has it.
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "refusal.h"

#define PROTOCOL "assay.dev/driver/v1"

enum kind { KIND_EXECUTE, KIND_QUERY, KIND_CONNECT, KIND_ENCODE };

enum scheme {
  SCHEME_NONE,
  SCHEME_SINGLE_ROW,
  SCHEME_PREPARED,
  SCHEME_EXECUTE_MANY,
  SCHEME_PIPELINED,
  SCHEME_MULTI_ROW,
  SCHEME_MULTI_STATEMENT,
  SCHEME_IN_LIST,
  SCHEME_BATCH,
  SCHEMES
};

enum session { SESSION_DEDICATED, SESSION_POOL, SESSION_NEW };

// Texts belong to the JSON of the request.
struct prepare_request {
  const char *connection;
  const char *driver;
  const char *version;
  const char *host;
  unsigned port;
  const char *database;
  bool encrypted;
  json_t *options; // NULL or an object of texts
};

struct run_request {
  const char *connection;
  enum kind kind;
  enum scheme scheme;
  bool commit; // transaction One
  enum session session;
  const char *statement;
  const char *data; // NULL without
  size_t rows_per_operation;
  size_t chunk;
  bool inline_first;
  uint64_t operations;
  double seconds;
};

const char *scheme_name(enum scheme scheme);
// Each reads a request without its id and "do"; a field that the protocol does not know is not supported.
bool read_prepare(json_t *request, struct prepare_request *prepare, struct refusal *refusal);
bool read_run(json_t *request, struct run_request *run, struct refusal *refusal);
bool read_data(json_t *request, const char **name, json_t **rows, struct refusal *refusal);
// read_word reads a request of one text, such as close.
bool read_word(json_t *request, const char *field, const char **word, struct refusal *refusal);

#endif
