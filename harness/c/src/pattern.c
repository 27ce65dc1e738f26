#include "pattern.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct pattern pattern_make(const struct run_request *run)
{
  struct pattern pattern = {.head = run->head, .separator = run->separator, .tail = run->tail};
  const char *begin = *run->group ? run->group : run->statement;
  for (;;) {
    size_t length = strcspn(begin, "?");
    pattern.parts = reallocate(pattern.parts, pattern.parameters + 1, sizeof *pattern.parts);
    pattern.parts[pattern.parameters] = duplicate(begin, length);
    if (!begin[length])
      return pattern;
    pattern.parameters++;
    begin += length + 1;
  }
}

void pattern_free(struct pattern *pattern)
{
  for (size_t part = 0; pattern->parts && part <= pattern->parameters; part++)
    free(pattern->parts[part]);
  free(pattern->parts);
  *pattern = (struct pattern){0};
}
