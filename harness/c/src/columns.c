#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

// Integers up to here are the same number as a double.
#define EXACT_AS_REAL (1LL << 53)

static bool kind_of(json_t *value, enum column_kind *kind)
{
  switch (json_typeof(value)) {
  case JSON_NULL: *kind = COLUMN_NULL; return true;
  case JSON_INTEGER: *kind = COLUMN_INTEGER; return true;
  case JSON_REAL: *kind = COLUMN_REAL; return true;
  case JSON_STRING: *kind = COLUMN_TEXT; return true;
  default: return false;
  }
}

// choose_kind finds the kind of a column. Integers beside numbers with a point are taken as such.
static bool choose_kind(json_t *rows, size_t place, struct column *column, struct refusal *refusal)
{
  size_t index;
  json_t *row;
  json_array_foreach(rows, index, row)
  {
    enum column_kind kind;
    if (!kind_of(json_array_get(row, place), &kind))
      return failed(refusal, "row %zu of the data: a parameter is a number, a string or null", index + 1);
    if (kind == COLUMN_NULL || kind == column->kind)
      continue;
    bool numbers = kind != COLUMN_TEXT && column->kind != COLUMN_TEXT;
    if (column->kind != COLUMN_NULL && !numbers)
      return failed(refusal, "column %zu of the data has texts and numbers: it must have one of them", place + 1);
    column->kind = column->kind == COLUMN_NULL ? kind : COLUMN_REAL;
  }
  return true;
}

static void make_arrays(struct column *column, size_t rows)
{
  column->nulls = allocate(rows, 1);
  switch (column->kind) {
  case COLUMN_INTEGER: column->integers = allocate(rows, sizeof *column->integers); break;
  case COLUMN_REAL: column->reals = allocate(rows, sizeof *column->reals); break;
  case COLUMN_TEXT:
    column->texts = allocate(rows, sizeof *column->texts);
    column->lengths = allocate(rows, sizeof *column->lengths);
    break;
  case COLUMN_NULL: break;
  }
}

static bool keep(struct column *column, size_t row, json_t *value, struct refusal *refusal)
{
  column->nulls[row] = json_is_null(value);
  if (json_is_null(value))
    return true;
  switch (column->kind) {
  case COLUMN_INTEGER: column->integers[row] = json_integer_value(value); return true;
  case COLUMN_REAL:
    if (json_is_integer(value) && llabs(json_integer_value(value)) > EXACT_AS_REAL)
      return failed(refusal, "row %zu of the data: beside numbers with a point an integer must be below 2^53", row + 1);
    column->reals[row] = json_number_value(value);
    return true;
  case COLUMN_TEXT:
    column->lengths[row] = json_string_length(value);
    column->texts[row] = duplicate(json_string_value(value), column->lengths[row]);
    if (column->lengths[row] > column->longest)
      column->longest = column->lengths[row];
    return true;
  case COLUMN_NULL: return true;
  }
  return true;
}

bool columns_of_json(json_t *rows, struct columns *columns, struct refusal *refusal)
{
  size_t index;
  json_t *row;
  *columns = (struct columns){.rows = json_array_size(rows), .count = json_array_size(json_array_get(rows, 0))};
  columns->columns = allocate(columns->count, sizeof *columns->columns);
  json_array_foreach(rows, index, row)
  {
    if (!json_is_array(row) || json_array_size(row) != columns->count)
      return failed(refusal, "row %zu of the data is not as long as the first one", index + 1);
  }
  for (size_t place = 0; place < columns->count; place++) {
    struct column *column = &columns->columns[place];
    if (!choose_kind(rows, place, column, refusal))
      return false;
    make_arrays(column, columns->rows);
    json_array_foreach(rows, index, row)
    {
      if (!keep(column, index, json_array_get(row, place), refusal))
        return false;
    }
  }
  return true;
}

struct columns columns_extend(const struct columns *columns, size_t rows)
{
  struct columns extended = {.rows = rows, .count = columns->count};
  extended.columns = allocate(columns->count, sizeof *extended.columns);
  for (size_t place = 0; place < columns->count; place++) {
    const struct column *from = &columns->columns[place];
    struct column *to = &extended.columns[place];
    to->kind = from->kind;
    to->longest = from->longest;
    make_arrays(to, rows);
    for (size_t row = 0; row < rows; row++) {
      size_t original = row % columns->rows;
      to->nulls[row] = from->nulls[original];
      if (to->integers)
        to->integers[row] = from->integers[original];
      if (to->reals)
        to->reals[row] = from->reals[original];
      if (to->texts) {
        to->texts[row] = from->texts[original];
        to->lengths[row] = from->lengths[original];
      }
    }
  }
  return extended;
}

static void free_columns(struct columns *columns, bool texts)
{
  for (size_t place = 0; place < columns->count; place++) {
    struct column *column = &columns->columns[place];
    for (size_t row = 0; texts && column->texts && row < columns->rows; row++)
      free(column->texts[row]);
    free(column->integers);
    free(column->reals);
    free(column->texts);
    free(column->lengths);
    free(column->nulls);
  }
  free(columns->columns);
  *columns = (struct columns){0};
}

void columns_free(struct columns *columns) { free_columns(columns, true); }

void columns_free_extended(struct columns *columns) { free_columns(columns, false); }
