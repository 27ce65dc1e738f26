// Memory, or the end of the program: a harness that lacks memory has nothing to measure.
#ifndef MEMORY_H
#define MEMORY_H

#include <stddef.h>

// allocate returns zeroed memory.
void *allocate(size_t count, size_t size);
void *reallocate(void *memory, size_t count, size_t size);
char *duplicate(const char *bytes, size_t length);

#endif
