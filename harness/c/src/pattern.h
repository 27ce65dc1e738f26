// The texts that the schemes make of the agent's statement, which has a `?` for each parameter and no other.
#ifndef PATTERN_H
#define PATTERN_H

#include <stddef.h>

#include "protocol.h"
#include "refusal.h"

// A statement cut around what is repeated for each row: head, then for each row the parts with a value between two of
// them, with the separator between rows, then the tail.
struct pattern {
  char *head;
  char **parts; // one more than there are parameters
  size_t parameters;
  const char *separator;
  char *tail;
};

bool pattern_make(struct pattern *pattern, const char *statement, enum scheme scheme, struct refusal *refusal);
void pattern_free(struct pattern *pattern);

#endif
