#include "fetched.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "memory.h"

// How many values of a row the checksum is made of.
#define CHECKED 4

void fetched_begin(struct fetched *fetched)
{
  fetched->used = 0;
  fetched->rows = 0;
  text_clear(&fetched->bytes);
}

struct cell *fetched_cell(struct fetched *fetched)
{
  if (fetched->used == fetched->capacity) {
    fetched->capacity = fetched->capacity ? 2 * fetched->capacity : 64;
    fetched->cells = reallocate(fetched->cells, fetched->capacity, sizeof *fetched->cells);
  }
  return &fetched->cells[fetched->used++];
}

void fetched_bytes(struct fetched *fetched, struct cell *cell, const char *bytes, size_t length)
{
  cell->text.place = fetched->bytes.length;
  cell->text.length = length;
  text_add(&fetched->bytes, bytes, length);
}

void fetched_end_row(struct fetched *fetched)
{
  if (fetched->rows == fetched->rows_capacity) {
    fetched->rows_capacity = fetched->rows_capacity ? 2 * fetched->rows_capacity : 64;
    fetched->ends = reallocate(fetched->ends, fetched->rows_capacity, sizeof *fetched->ends);
  }
  fetched->ends[fetched->rows++] = fetched->used;
}

void fetched_free(struct fetched *fetched)
{
  free(fetched->cells);
  free(fetched->ends);
  text_free(&fetched->bytes);
  *fetched = (struct fetched){0};
}

static bool write_cell(struct text *line, const struct fetched *fetched, const struct cell *cell)
{
  switch (cell->kind) {
  case CELL_NULL: text_add_string(line, "\\N"); return true;
  case CELL_INTEGER: text_add_integer(line, cell->integer); return true;
  case CELL_UNSIGNED: text_add_unsigned(line, cell->natural); return true;
  case CELL_TEXT: text_add(line, fetched->bytes.bytes + cell->text.place, cell->text.length); return true;
  default: return false;
  }
}

bool fetched_checksum(const struct fetched *fetched, uint32_t *checksum, struct refusal *refusal)
{
  struct text line = {0};
  uLong crc = crc32(0, NULL, 0);
  size_t begin = 0;
  bool known = true;
  for (size_t row = 0; known && row < fetched->rows; row++) {
    size_t cells = fetched->ends[row] - begin;
    text_clear(&line);
    for (size_t place = 0; known && place < cells && place < CHECKED; place++) {
      if (place)
        text_add(&line, "\t", 1);
      known = write_cell(&line, fetched, &fetched->cells[begin + place]);
    }
    text_add(&line, "\n", 1);
    crc = crc32(crc, (const Bytef *)line.bytes, (uInt)line.length);
    begin = fetched->ends[row];
  }
  text_free(&line);
  *checksum = (uint32_t)crc;
  return known || failed(refusal,
                         "the checksum knows integers, texts and null in the first %d values of a row, and one of them "
                         "is of another type",
                         CHECKED);
}
