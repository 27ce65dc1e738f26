// The texts that the schemes make of the agent's statement, which has a `?` for each parameter and no other.
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>

#include "protocol.h"

// What is repeated for each row, cut at its parameters: head, then for each row the parts with a value between two of
// them, with the separator between rows, then the tail.
struct pattern {
  const char *head;
  char **parts; // one more than there are parameters
  size_t parameters;
  const char *separator;
  const char *tail;
};

struct pattern pattern_make(const struct run_request *run);
void pattern_free(struct pattern *pattern);

#endif
