// The harness of C's MySQL drivers: reads one request per line, writes one answer per line.
// docs/contributing/driver-protocol.md says what the lines mean.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

int main(void)
{
  struct harness *harness = harness_make();
  char *line = NULL;
  size_t capacity = 0;
  ssize_t length;
  bool good = true;
  signal(SIGPIPE, SIG_IGN); // a reader or server that is gone is an error to handle
  while (good && (length = getline(&line, &capacity, stdin)) > 0) {
    char *answer = harness_answer(harness, line, (size_t)length);
    good = answer && printf("%s\n", answer) > 0 && fflush(stdout) == 0;
    free(answer);
  }
  if (!good || ferror(stdin))
    fprintf(stderr, "harness: %s: %s\n", good ? "the requests cannot be read" : "the answer cannot be written",
            strerror(errno));
  good = good && !ferror(stdin);
  free(line);
  harness_free(harness);
  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
