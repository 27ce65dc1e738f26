#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

// More digits than any number here has, its sign and its end.
#define DIGITS 32

void text_clear(struct text *text) { text->length = 0; }

void text_free(struct text *text)
{
  free(text->bytes);
  *text = (struct text){0};
}

void text_reserve(struct text *text, size_t length)
{
  if (text->length + length <= text->capacity)
    return;
  text->capacity = (text->length + length) * 2;
  text->bytes = reallocate(text->bytes, text->capacity, 1);
}

void text_add(struct text *text, const char *bytes, size_t length)
{
  if (!length)
    return;
  text_reserve(text, length);
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
}

void text_add_string(struct text *text, const char *string) { text_add(text, string, strlen(string)); }

void text_add_integer(struct text *text, int64_t value)
{
  text_reserve(text, DIGITS);
  text->length += (size_t)snprintf(text->bytes + text->length, DIGITS, "%" PRId64, value);
}

void text_add_unsigned(struct text *text, uint64_t value)
{
  text_reserve(text, DIGITS);
  text->length += (size_t)snprintf(text->bytes + text->length, DIGITS, "%" PRIu64, value);
}

// The shorter of two texts, if it is the same number: 62.35 and not 62.350000000000001.
void text_add_real(struct text *text, double value)
{
  text_reserve(text, DIGITS);
  char *end = text->bytes + text->length;
  int length = snprintf(end, DIGITS, "%.15g", value);
  if (strtod(end, NULL) != value)
    length = snprintf(end, DIGITS, "%.17g", value);
  text->length += (size_t)length;
}
