// A connection that `prepare` opened, and the runs on it, the same for every driver.
#ifndef CONNECTION_H
#define CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "columns.h"
#include "driver.h"
#include "histogram.h"
#include "protocol.h"

struct connection {
  const struct driver *driver;
  struct target target;
  json_t *request; // holds the texts of the target
  // One for each worker that there ever was. The first is that of `prepare`; the others are made by the first run that
  // needs them. NULL after it broke, or a run failed; the next run makes it again.
  void **handles;
  size_t count;
};

struct outcome {
  uint64_t operations;
  uint64_t nanoseconds;
  uint64_t cpu_nanoseconds; // of the whole process; 0 where the kernel does not report it
  uint64_t rows;
  uint32_t checksum;
};

// connection_open opens the first one.
bool connection_open(struct connection *connection, struct refusal *refusal);
bool connection_run(struct connection *connection, const struct run_request *run, const struct columns *data,
                    struct histogram *histogram, struct outcome *outcome, struct refusal *refusal);
void connection_close(struct connection *connection);

#endif
