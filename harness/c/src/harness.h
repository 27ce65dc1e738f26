// Answers requests: what is open, which data there is, and who does what.
#ifndef HARNESS_H
#define HARNESS_H

#include <jansson.h>

#include "columns.h"
#include "connection.h"
#include "histogram.h"

struct data {
  char *name;
  struct columns columns;
};

struct named {
  char *name;
  struct connection connection;
};

struct harness {
  struct histogram *histogram;
  struct data *data;
  size_t data_count;
  struct named *connections;
  size_t connection_count;
};

struct harness *harness_make(void);
// harness_answer returns the answer to one line, which the caller frees.
char *harness_answer(struct harness *harness, const char *line, size_t length);
// harness_free closes everything.
void harness_free(struct harness *harness);

#endif
