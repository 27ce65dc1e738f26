#include "steps.h"

#include <string.h>

// How many texts of a pipeline are sent before the harness looks whether the connection takes more.
#define LOOK_AFTER 16

static bool in_text(enum scheme scheme)
{
  return scheme != SCHEME_PREPARED && scheme != SCHEME_EXECUTE_MANY && scheme != SCHEME_BATCH;
}

struct steps steps_make(const struct driver *driver, const struct run_request *run, const struct columns *columns)
{
  return (struct steps){.driver = driver,
                        .run = run,
                        .columns = columns,
                        .pattern = pattern_make(run),
                        .take = run->rows_per_operation,
                        .fetched = {.wanted = run->kind == KIND_QUERY}};
}

void steps_free(struct steps *steps)
{
  pattern_free(&steps->pattern);
  text_free(&steps->text);
  fetched_free(&steps->fetched);
}

static void write_value(struct steps *steps, void *handle, size_t place, size_t row)
{
  const struct column *column = &steps->columns->columns[place];
  struct text *text = &steps->text;
  switch (column->kind) {
  case COLUMN_INTEGER: text_add_integer(text, column->integers[row]); break;
  case COLUMN_REAL: text_add_real(text, column->reals[row]); break;
  case COLUMN_TEXT: steps->driver->quote(handle, text, column->texts[row], column->lengths[row]); break;
  }
}

// write_rows writes the text for some rows, with all their values.
static void write_rows(struct steps *steps, void *handle, size_t row, size_t rows)
{
  const struct pattern *pattern = &steps->pattern;
  struct text *text = &steps->text;
  text_clear(text);
  text_add_string(text, pattern->head);
  for (size_t end = row + rows; row < end; row++) {
    for (size_t part = 0; part <= pattern->parameters; part++) {
      if (part)
        write_value(steps, handle, part - 1, row);
      text_add_string(text, pattern->parts[part]);
    }
    if (row + 1 < end)
      text_add_string(text, pattern->separator);
  }
  text_add_string(text, pattern->tail);
}

static bool prepare(struct steps *steps, void *handle, void **statement, struct refusal *refusal)
{
  return steps->driver->prepare(handle, steps->run->statement, steps->columns, statement, refusal);
}

bool steps_prepare(struct steps *steps, void *handle, struct refusal *refusal)
{
  return in_text(steps->run->scheme) || prepare(steps, handle, &steps->statement, refusal);
}

void steps_discard(struct steps *steps)
{
  if (steps->statement)
    steps->driver->discard(steps->statement);
  steps->statement = NULL;
}

// first_row of an operation: operations take the rows one after the other, and at the end from the first again.
static size_t first_row(const struct steps *steps, uint64_t number)
{
  return (size_t)(number * steps->take % steps->columns->rows);
}

void steps_encode(struct steps *steps, void *handle, uint64_t number)
{
  write_rows(steps, handle, first_row(steps, number), 1);
}

static bool send_texts(struct steps *steps, void *handle, size_t row, size_t rows, size_t chunk,
                       struct refusal *refusal)
{
  for (size_t end = row + rows; row < end; row += chunk) {
    write_rows(steps, handle, row, end - row < chunk ? end - row : chunk);
    if (!steps->driver->query(handle, &steps->text, &steps->fetched, refusal))
      return false;
  }
  return true;
}

// pipeline sends every text before it reads the first answer, unless the connection takes no more: then an answer is
// read, because a server that cannot write does not read either. After an error the answers are read all the same.
static bool pipeline(struct steps *steps, void *handle, size_t row, size_t rows, struct refusal *refusal)
{
  const struct driver *driver = steps->driver;
  struct refusal later;
  size_t sent = 0, received = 0;
  bool good = true;
  while (good && sent < rows) {
    while (good && sent % LOOK_AFTER == 0 && received < sent && driver->full(handle)) {
      good = driver->receive(handle, &steps->fetched, refusal);
      received++;
    }
    if (!good)
      break;
    write_rows(steps, handle, row + sent, 1);
    good = driver->send(handle, &steps->text, refusal);
    sent += good;
  }
  while (received < sent && driver->connected(handle)) {
    received++;
    if (!driver->receive(handle, &steps->fetched, good ? refusal : &later))
      good = false;
  }
  return good;
}

static bool execute(struct steps *steps, void *statement, size_t row, size_t rows, struct refusal *refusal)
{
  if (steps->run->scheme != SCHEME_PREPARED)
    return steps->driver->execute_many(statement, row, rows, refusal);
  for (size_t end = row + rows; row < end; row++)
    if (!steps->driver->execute(statement, row, &steps->fetched, refusal))
      return false;
  return true;
}

// prepared executes the statement that is there, or one of this operation.
static bool prepared(struct steps *steps, void *handle, size_t row, size_t rows, struct refusal *refusal)
{
  void *statement;
  if (steps->statement)
    return execute(steps, steps->statement, row, rows, refusal);
  if (!prepare(steps, handle, &statement, refusal))
    return false;
  bool good = execute(steps, statement, row, rows, refusal);
  steps->driver->discard(statement);
  return good;
}

static bool by_scheme(struct steps *steps, void *handle, size_t row, struct refusal *refusal)
{
  switch (steps->run->scheme) {
  case SCHEME_SINGLE_ROW: return send_texts(steps, handle, row, steps->take, 1, refusal);
  case SCHEME_PIPELINED: return pipeline(steps, handle, row, steps->take, refusal);
  case SCHEME_MULTI_ROW:
  case SCHEME_MULTI_STATEMENT:
  case SCHEME_IN_LIST: return send_texts(steps, handle, row, steps->take, steps->run->chunk, refusal);
  default: return prepared(steps, handle, row, steps->take, refusal);
  }
}

bool steps_operation(struct steps *steps, void *handle, uint64_t number, struct refusal *refusal)
{
  static const struct text commit = {.bytes = "COMMIT", .length = 6};
  fetched_begin(&steps->fetched);
  if (!by_scheme(steps, handle, first_row(steps, number), refusal))
    return false;
  if (steps->run->commit && !steps->driver->query(handle, &commit, &steps->fetched, refusal))
    return false;
  steps->fetched.total += steps->fetched.rows;
  return true;
}
