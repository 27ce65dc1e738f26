// Rows of libmariadb as values of C: of the text protocol, and of the binary one through bound columns.
#include "libmariadb.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

// The character set that says: bytes, not text.
#define BINARY 63
// A bound text is at first not longer than this; a longer one is fetched by a call of its own.
#define BOUND_LENGTH 4096

static bool is_integer(const MYSQL_FIELD *field)
{
  switch (field->type) {
  case MYSQL_TYPE_TINY:
  case MYSQL_TYPE_SHORT:
  case MYSQL_TYPE_INT24:
  case MYSQL_TYPE_LONG:
  case MYSQL_TYPE_LONGLONG:
  case MYSQL_TYPE_YEAR: return true;
  default: return false;
  }
}

static enum cell_kind kind_of(const MYSQL_FIELD *field)
{
  if (is_integer(field))
    return field->flags & UNSIGNED_FLAG ? CELL_UNSIGNED : CELL_INTEGER;
  switch (field->type) {
  case MYSQL_TYPE_FLOAT:
  case MYSQL_TYPE_DOUBLE: return CELL_REAL;
  case MYSQL_TYPE_DECIMAL:
  case MYSQL_TYPE_NEWDECIMAL:
  case MYSQL_TYPE_JSON: return CELL_TEXT;
  case MYSQL_TYPE_VARCHAR:
  case MYSQL_TYPE_VAR_STRING:
  case MYSQL_TYPE_STRING:
  case MYSQL_TYPE_ENUM:
  case MYSQL_TYPE_SET:
  case MYSQL_TYPE_TINY_BLOB:
  case MYSQL_TYPE_MEDIUM_BLOB:
  case MYSQL_TYPE_LONG_BLOB:
  case MYSQL_TYPE_BLOB: return field->charsetnr == BINARY ? CELL_OTHER : CELL_TEXT;
  default: return CELL_OTHER; // dates: the text as it came
  }
}

static void cell_from_text(struct fetched *fetched, const MYSQL_FIELD *field, const char *value, size_t length)
{
  struct cell *cell = fetched_cell(fetched);
  cell->kind = value ? kind_of(field) : CELL_NULL;
  switch (cell->kind) {
  case CELL_NULL: break;
  case CELL_INTEGER: cell->integer = strtoll(value, NULL, 10); break;
  case CELL_UNSIGNED: cell->natural = strtoull(value, NULL, 10); break;
  case CELL_REAL: cell->real = strtod(value, NULL); break;
  default: fetched_bytes(fetched, cell, value, length);
  }
}

void rows_from_text(MYSQL_RES *result, struct fetched *fetched)
{
  unsigned count = mysql_num_fields(result);
  const MYSQL_FIELD *fields = mysql_fetch_fields(result);
  MYSQL_ROW row;
  while (fetched->wanted && (row = mysql_fetch_row(result))) {
    const unsigned long *lengths = mysql_fetch_lengths(result);
    for (unsigned place = 0; place < count; place++)
      cell_from_text(fetched, &fields[place], row[place], lengths[place]);
    fetched_end_row(fetched);
  }
}

// One bound column: where the library puts a value.
struct slot {
  enum cell_kind kind;
  union {
    int64_t integer;
    uint64_t natural;
    double real;
    MYSQL_TIME time;
  };
  char *bytes;
  unsigned long length;
  my_bool null;
};

struct bound {
  MYSQL_STMT *statement;
  unsigned count;
  MYSQL_BIND *binds;
  struct slot *slots;
};

static bool is_time(const MYSQL_FIELD *field)
{
  return field->type == MYSQL_TYPE_DATE || field->type == MYSQL_TYPE_DATETIME || field->type == MYSQL_TYPE_TIMESTAMP ||
         field->type == MYSQL_TYPE_TIME;
}

static void bind_slot(MYSQL_BIND *bind, struct slot *slot, const MYSQL_FIELD *field)
{
  slot->kind = kind_of(field);
  bind->is_null = &slot->null;
  bind->length = &slot->length;
  if (slot->kind == CELL_INTEGER || slot->kind == CELL_UNSIGNED) {
    bind->buffer_type = MYSQL_TYPE_LONGLONG;
    bind->is_unsigned = slot->kind == CELL_UNSIGNED;
    bind->buffer = &slot->integer;
  } else if (slot->kind == CELL_REAL) {
    bind->buffer_type = MYSQL_TYPE_DOUBLE;
    bind->buffer = &slot->real;
  } else if (is_time(field)) {
    bind->buffer_type = field->type;
    bind->buffer = &slot->time;
    bind->buffer_length = sizeof slot->time;
  } else {
    bind->buffer_length = field->length < BOUND_LENGTH ? field->length + 1 : BOUND_LENGTH;
    slot->bytes = allocate(bind->buffer_length, 1);
    bind->buffer_type = MYSQL_TYPE_STRING;
    bind->buffer = slot->bytes;
  }
}

struct bound *bound_make(MYSQL_STMT *statement, MYSQL_RES *metadata)
{
  struct bound *bound = allocate(1, sizeof *bound);
  const MYSQL_FIELD *fields = mysql_fetch_fields(metadata);
  bound->statement = statement;
  bound->count = mysql_num_fields(metadata);
  bound->binds = allocate(bound->count, sizeof *bound->binds);
  bound->slots = allocate(bound->count, sizeof *bound->slots);
  for (unsigned place = 0; place < bound->count; place++)
    bind_slot(&bound->binds[place], &bound->slots[place], &fields[place]);
  return bound;
}

void bound_free(struct bound *bound)
{
  if (!bound)
    return;
  for (unsigned place = 0; place < bound->count; place++)
    free(bound->slots[place].bytes);
  free(bound->slots);
  free(bound->binds);
  free(bound);
}

// fetch_long fetches a text that is longer than its buffer.
static bool fetch_long(struct bound *bound, unsigned place, struct fetched *fetched, struct cell *cell)
{
  struct slot *slot = &bound->slots[place];
  char *bytes = allocate(slot->length, 1);
  MYSQL_BIND bind = {.buffer_type = MYSQL_TYPE_STRING, .buffer = bytes, .buffer_length = slot->length};
  bool good = !mysql_stmt_fetch_column(bound->statement, &bind, place, 0);
  if (good)
    fetched_bytes(fetched, cell, bytes, slot->length);
  free(bytes);
  return good;
}

static bool cell_from_slot(struct bound *bound, unsigned place, struct fetched *fetched)
{
  struct slot *slot = &bound->slots[place];
  struct cell *cell = fetched_cell(fetched);
  cell->kind = slot->null ? CELL_NULL : slot->kind;
  switch (cell->kind) {
  case CELL_NULL: return true;
  case CELL_INTEGER: cell->integer = slot->integer; return true;
  case CELL_UNSIGNED: cell->natural = slot->natural; return true;
  case CELL_REAL: cell->real = slot->real; return true;
  default: break;
  }
  if (!slot->bytes)
    fetched_bytes(fetched, cell, (const char *)&slot->time, sizeof slot->time);
  else if (slot->length <= bound->binds[place].buffer_length)
    fetched_bytes(fetched, cell, slot->bytes, slot->length);
  else
    return fetch_long(bound, place, fetched, cell);
  return true;
}

bool bound_fetch(struct bound *bound, struct link *link, struct fetched *fetched, struct refusal *refusal)
{
  MYSQL_STMT *statement = bound->statement;
  if (mysql_stmt_bind_result(statement, bound->binds) || mysql_stmt_store_result(statement))
    return link_failed(link, mysql_stmt_errno(statement), mysql_stmt_error(statement), refusal);
  for (;;) {
    int state = mysql_stmt_fetch(statement);
    if (state == MYSQL_NO_DATA)
      return true;
    bool good = state == 0 || state == MYSQL_DATA_TRUNCATED;
    for (unsigned place = 0; good && fetched->wanted && place < bound->count; place++)
      good = cell_from_slot(bound, place, fetched);
    if (!good)
      return link_failed(link, mysql_stmt_errno(statement), mysql_stmt_error(statement), refusal);
    if (fetched->wanted)
      fetched_end_row(fetched);
  }
}
