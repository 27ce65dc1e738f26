// What the agent asks, as docs/contracts/driver-protocol.v2.schema.json has it.
#ifndef PROTOCOL_H
#define PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kind { KIND_EXECUTE, KIND_QUERY, KIND_CONNECT, KIND_ENCODE };

enum scheme {
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

// Texts belong to the JSON of the request. A pool only null has, and it does nothing.
struct run_request {
  enum kind kind;
  enum scheme scheme;
  bool commit;
  bool anew; // a connection for each operation
  const char *statement, *head, *group, *separator, *tail;
  size_t rows_per_operation;
  size_t chunk;
  size_t concurrency;
  uint64_t operations;
  double seconds;
};

const char *scheme_name(enum scheme scheme);
struct run_request read_run(json_t *request);
// text_of returns a text field of a request.
const char *text_of(json_t *request, const char *field);

#endif
