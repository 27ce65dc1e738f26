// What one operation does with its rows, by every scheme.
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "columns.h"
#include "driver.h"
#include "pattern.h"
#include "protocol.h"

struct steps {
  const struct driver *driver;
  const struct run_request *run;
  struct pattern pattern;
  const struct columns *columns; // those of the data, or `extended`
  struct columns extended;
  size_t cycle; // rows of the data
  size_t next;  // where the next operation begins
  size_t take;  // rows of an operation
  struct text text;
  void *statement; // prepared before the first operation on a dedicated connection
  struct fetched fetched;
};

// steps_make checks that the fields of a run fit together. What it made is freed by steps_free in any case.
bool steps_make(struct steps *steps, const struct driver *driver, const struct run_request *run,
                const struct columns *data, struct refusal *refusal);
void steps_free(struct steps *steps);
// steps_prepare prepares the statement of a dedicated connection, if the scheme has one.
bool steps_prepare(struct steps *steps, void *handle, struct refusal *refusal);
void steps_discard(struct steps *steps);
bool steps_operation(struct steps *steps, void *handle, struct refusal *refusal);
// steps_encode writes the text of the next row and sends nothing.
void steps_encode(struct steps *steps, void *handle);

#endif
