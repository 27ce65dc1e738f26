// Answers requests: what is open, which data there is, and who does what.
#ifndef HARNESS_H
#define HARNESS_H

#include "columns.h"
#include "connection.h"
#include "histogram.h"

// Something that the agent gave a name to: columns of data, or a connection.
struct named {
  struct named *next;
  char *name;
  struct columns columns;
  struct connection connection;
};

struct harness {
  struct histogram histogram;
  struct named *data, *connections;
};

struct harness *harness_make(void);
// harness_answer returns the answer to one line, which the caller frees.
char *harness_answer(struct harness *harness, const char *line, size_t length);
// harness_free closes everything.
void harness_free(struct harness *harness);

#endif
