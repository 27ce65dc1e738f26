#include "columns.h"

#include <stdlib.h>

#include "memory.h"

static enum column_kind kind_of(json_t *value)
{
  if (json_is_string(value))
    return COLUMN_TEXT;
  return json_is_integer(value) ? COLUMN_INTEGER : COLUMN_REAL;
}

static void make_arrays(struct column *column, size_t rows)
{
  switch (column->kind) {
  case COLUMN_INTEGER: column->integers = allocate(rows, sizeof *column->integers); break;
  case COLUMN_REAL: column->reals = allocate(rows, sizeof *column->reals); break;
  case COLUMN_TEXT:
    column->texts = allocate(rows, sizeof *column->texts);
    column->lengths = allocate(rows, sizeof *column->lengths);
    break;
  }
}

static void keep(struct column *column, size_t row, json_t *value)
{
  switch (column->kind) {
  case COLUMN_INTEGER: column->integers[row] = json_integer_value(value); break;
  case COLUMN_REAL: column->reals[row] = json_real_value(value); break;
  case COLUMN_TEXT:
    column->lengths[row] = json_string_length(value);
    column->texts[row] = duplicate(json_string_value(value), column->lengths[row]);
    if (column->lengths[row] > column->longest)
      column->longest = column->lengths[row];
    break;
  }
}

struct columns columns_of_json(json_t *rows)
{
  json_t *first = json_array_get(rows, 0);
  struct columns columns = {.rows = json_array_size(rows), .count = json_array_size(first)};
  columns.columns = allocate(columns.count, sizeof *columns.columns);
  for (size_t place = 0; place < columns.count; place++) {
    struct column *column = &columns.columns[place];
    column->kind = kind_of(json_array_get(first, place));
    make_arrays(column, columns.rows);
    for (size_t row = 0; row < columns.rows; row++)
      keep(column, row, json_array_get(json_array_get(rows, row), place));
  }
  return columns;
}

void columns_free(struct columns *columns)
{
  for (size_t place = 0; place < columns->count; place++) {
    struct column *column = &columns->columns[place];
    for (size_t row = 0; column->texts && row < columns->rows; row++)
      free(column->texts[row]);
    free(column->integers);
    free(column->reals);
    free(column->texts);
    free(column->lengths);
  }
  free(columns->columns);
  *columns = (struct columns){0};
}
