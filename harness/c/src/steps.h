// What one operation does with its rows, by every scheme.
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "columns.h"
#include "driver.h"
#include "pattern.h"
#include "protocol.h"

struct steps {
  const struct driver *driver;
  const struct run_request *run;
  struct pattern pattern;
  const struct columns *columns;
  size_t take; // rows of an operation; they stand side by side
  struct text text;
  void *statement; // prepared before the first operation on a dedicated connection
  struct fetched fetched;
};

// steps_make takes what operations need, one after the other; columns are of one row without values where the request
// has no data.
struct steps steps_make(const struct driver *driver, const struct run_request *run, const struct columns *columns);
void steps_free(struct steps *steps);
// steps_prepare prepares the statement of a dedicated connection, if the scheme has one.
bool steps_prepare(struct steps *steps, void *handle, struct refusal *refusal);
void steps_discard(struct steps *steps);
// steps_operation does the operation of a number.
bool steps_operation(struct steps *steps, void *handle, uint64_t number, struct refusal *refusal);
// steps_encode writes the text of its row and sends nothing.
void steps_encode(struct steps *steps, void *handle, uint64_t number);

#endif
