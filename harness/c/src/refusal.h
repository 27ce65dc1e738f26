// Why there is no result: the driver cannot do it, or it went wrong. Both go to the agent in words.
#ifndef REFUSAL_H
#define REFUSAL_H

#include <stdbool.h>

enum state { STATE_OK, STATE_UNSUPPORTED, STATE_FAILED };

struct refusal {
  enum state state;
  unsigned code; // of the library or the server; 0 for none
  char reason[1024];
};

// Both fill the refusal and return false, so that a function can end with them.
__attribute__((format(printf, 2, 3))) bool unsupported(struct refusal *refusal, const char *format, ...);
__attribute__((format(printf, 2, 3))) bool failed(struct refusal *refusal, const char *format, ...);

#endif
