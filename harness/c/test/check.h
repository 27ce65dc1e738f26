// What the files of the tests share.
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

extern int failures;

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      failures++;                                                                                                      \
      printf("%s:%d: ", __FILE__, __LINE__);                                                                           \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
    }                                                                                                                  \
  } while (0)

void test_workers(void);

#endif
