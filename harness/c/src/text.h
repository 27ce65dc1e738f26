// A text that grows, and keeps its memory when it is begun anew.
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
  char *bytes;
  size_t length;
  size_t capacity;
};

void text_clear(struct text *text);
void text_free(struct text *text);
// text_reserve makes room for so many bytes behind the end.
void text_reserve(struct text *text, size_t length);
void text_add(struct text *text, const char *bytes, size_t length);
void text_add_string(struct text *text, const char *string);
void text_add_integer(struct text *text, int64_t value);
void text_add_unsigned(struct text *text, uint64_t value);
void text_add_real(struct text *text, double value);

#endif
