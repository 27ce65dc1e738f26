// Prepared statements of libmariadb: one row per execution, or many by array binding.
#include <stdlib.h>
#include <string.h>

#include "libmariadb.h"
#include "memory.h"

// A parameter as it is bound for single rows: values are copied here before each execution, so that the statement is
// bound once and the types of parameters are sent once.
struct parameter {
  const struct column *column;
  int64_t integer;
  double real;
  char *bytes;
  unsigned long length;
};

struct statement {
  struct link *link;
  MYSQL_STMT *mysql;
  size_t count;
  struct parameter *parameters;
  MYSQL_BIND *binds;
  bool answers;       // with rows
  struct bound *rows; // NULL before the first execution, and if there are none
};

static bool fails(struct statement *statement, struct refusal *refusal)
{
  return link_failed(statement->link, mysql_stmt_errno(statement->mysql), mysql_stmt_error(statement->mysql), refusal);
}

static enum enum_field_types type_of(const struct column *column)
{
  switch (column->kind) {
  case COLUMN_INTEGER: return MYSQL_TYPE_LONGLONG;
  case COLUMN_REAL: return MYSQL_TYPE_DOUBLE;
  case COLUMN_TEXT: return MYSQL_TYPE_STRING;
  }
  return MYSQL_TYPE_NULL;
}

static void bind_parameter(MYSQL_BIND *bind, struct parameter *parameter)
{
  const struct column *column = parameter->column;
  bind->buffer_type = type_of(column);
  switch (column->kind) {
  case COLUMN_INTEGER: bind->buffer = &parameter->integer; break;
  case COLUMN_REAL: bind->buffer = &parameter->real; break;
  case COLUMN_TEXT:
    parameter->bytes = allocate(column->longest + 1, 1);
    bind->buffer = parameter->bytes;
    bind->buffer_length = column->longest;
    bind->length = &parameter->length;
    break;
  }
}

static bool bind_all(struct statement *statement, struct refusal *refusal)
{
  MYSQL_RES *metadata = mysql_stmt_result_metadata(statement->mysql);
  if (metadata) {
    statement->answers = true;
    mysql_free_result(metadata);
  }
  for (size_t place = 0; place < statement->count; place++)
    bind_parameter(&statement->binds[place], &statement->parameters[place]);
  return !statement->count || !mysql_stmt_bind_param(statement->mysql, statement->binds) || fails(statement, refusal);
}

bool statement_prepare(void *connection, const char *text, const struct columns *columns, void **made,
                       struct refusal *refusal)
{
  struct statement *statement = allocate(1, sizeof *statement);
  statement->link = connection;
  statement->count = columns->count;
  statement->parameters = allocate(statement->count, sizeof *statement->parameters);
  statement->binds = allocate(statement->count, sizeof *statement->binds);
  for (size_t place = 0; place < statement->count; place++)
    statement->parameters[place].column = &columns->columns[place];
  statement->mysql = mysql_stmt_init(&statement->link->mysql);
  if (!statement->mysql) {
    statement_discard(statement);
    return failed(refusal, "mysql_stmt_init() made no statement: there is no memory left");
  }
  bool good = !mysql_stmt_prepare(statement->mysql, text, strlen(text)) || fails(statement, refusal);
  good = good && bind_all(statement, refusal);
  if (!good)
    statement_discard(statement);
  *made = good ? statement : NULL;
  return good;
}

void statement_discard(void *made)
{
  struct statement *statement = made;
  if (statement->mysql)
    mysql_stmt_close(statement->mysql);
  for (size_t place = 0; place < statement->count; place++)
    free(statement->parameters[place].bytes);
  bound_free(statement->rows);
  free(statement->parameters);
  free(statement->binds);
  free(statement);
}

static void fill(struct parameter *parameter, size_t row)
{
  const struct column *column = parameter->column;
  switch (column->kind) {
  case COLUMN_INTEGER: parameter->integer = column->integers[row]; break;
  case COLUMN_REAL: parameter->real = column->reals[row]; break;
  case COLUMN_TEXT:
    parameter->length = column->lengths[row];
    memcpy(parameter->bytes, column->texts[row], parameter->length);
    break;
  }
}

bool statement_execute(void *made, size_t row, struct fetched *fetched, struct refusal *refusal)
{
  struct statement *statement = made;
  for (size_t place = 0; place < statement->count; place++)
    fill(&statement->parameters[place], row);
  if (mysql_stmt_execute(statement->mysql))
    return fails(statement, refusal);
  if (!statement->answers)
    return true;
  if (!statement->rows) {
    // What a parameter among the columns is, the server knows only when it is executed.
    MYSQL_RES *metadata = mysql_stmt_result_metadata(statement->mysql);
    if (!metadata)
      return fails(statement, refusal);
    statement->rows = bound_make(statement->mysql, metadata);
    mysql_free_result(metadata);
  }
  bool good = bound_fetch(statement->rows, statement->link, fetched, refusal);
  mysql_stmt_free_result(statement->mysql);
  return good;
}

// bind_array points the library at the rows of an operation, which stand side by side in the arrays of the columns.
static bool bind_array(struct statement *statement, size_t row, size_t rows, struct refusal *refusal)
{
  unsigned count = (unsigned)rows;
  for (size_t place = 0; place < statement->count; place++) {
    const struct column *column = statement->parameters[place].column;
    MYSQL_BIND *bind = &statement->binds[place];
    *bind = (MYSQL_BIND){.buffer_type = type_of(column)};
    switch (column->kind) {
    case COLUMN_INTEGER: bind->buffer = column->integers + row; break;
    case COLUMN_REAL: bind->buffer = column->reals + row; break;
    case COLUMN_TEXT:
      bind->buffer = column->texts + row;
      bind->length = column->lengths + row;
      break;
    }
  }
  if (mysql_stmt_attr_set(statement->mysql, STMT_ATTR_ARRAY_SIZE, &count) ||
      mysql_stmt_bind_param(statement->mysql, statement->binds))
    return fails(statement, refusal);
  return true;
}

bool statement_execute_many(void *made, size_t row, size_t rows, struct refusal *refusal)
{
  struct statement *statement = made;
  return bind_array(statement, row, rows, refusal) &&
         (!mysql_stmt_execute(statement->mysql) || fails(statement, refusal));
}
