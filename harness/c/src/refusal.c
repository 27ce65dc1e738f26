#include "refusal.h"

#include <stdarg.h>
#include <stdio.h>

bool unsupported(struct refusal *refusal, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  refusal->state = STATE_UNSUPPORTED;
  vsnprintf(refusal->reason, sizeof refusal->reason, format, arguments);
  va_end(arguments);
  return false;
}

bool failed(struct refusal *refusal, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  refusal->state = STATE_FAILED;
  refusal->code = 0;
  vsnprintf(refusal->reason, sizeof refusal->reason, format, arguments);
  va_end(arguments);
  return false;
}
