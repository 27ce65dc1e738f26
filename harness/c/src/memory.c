#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
  if (memory)
    return memory;
  fprintf(stderr, "harness: there is no memory left\n");
  exit(1);
}

void *allocate(size_t count, size_t size) { return checked(calloc(count ? count : 1, size)); }

void *reallocate(void *memory, size_t count, size_t size) { return checked(reallocarray(memory, count, size)); }

char *duplicate(const char *bytes, size_t length)
{
  char *copy = allocate(length + 1, 1);
  memcpy(copy, bytes, length);
  return copy;
}
