#include "steps.h"

#include <string.h>

// How many texts of a pipeline are sent before the harness looks whether the connection takes more.
#define LOOK_AFTER 16

static const struct columns no_columns = {.rows = 1};

static bool in_text(enum scheme scheme)
{
  return scheme != SCHEME_PREPARED && scheme != SCHEME_EXECUTE_MANY && scheme != SCHEME_BATCH;
}

static bool check(const struct run_request *run, const struct pattern *pattern, const struct columns *columns,
                  struct refusal *refusal)
{
  bool chunked =
      run->scheme == SCHEME_MULTI_ROW || run->scheme == SCHEME_MULTI_STATEMENT || run->scheme == SCHEME_IN_LIST;
  bool many = run->scheme == SCHEME_EXECUTE_MANY || run->scheme == SCHEME_BATCH;
  bool one = !run->data || run->kind == KIND_ENCODE;
  if (!columns->rows || (!one && !run->rows_per_operation))
    return failed(refusal, "an operation needs at least one row: the data has none, or rowsPerOperation is 0");
  if (pattern->parameters != columns->count)
    return failed(refusal, "the statement has %zu parameters, and a row of the data has %zu", pattern->parameters,
                  columns->count);
  if (chunked && !run->chunk)
    return failed(refusal, "%s needs a chunk of at least 1", scheme_name(run->scheme));
  if (many && (run->kind == KIND_QUERY || !run->data))
    return unsupported(refusal, "%s takes rows of parameters and hands no rows over: it is for Execute with data",
                       scheme_name(run->scheme));
  if (many && run->inline_first)
    return unsupported(refusal, "inline is not possible with %s: all rows share one text", scheme_name(run->scheme));
  if (run->inline_first && (!columns->count || columns->columns[0].kind != COLUMN_INTEGER))
    return failed(refusal, "inline writes the first parameter into the text, and it must be an integer");
  return true;
}

bool steps_make(struct steps *steps, const struct driver *driver, const struct run_request *run,
                const struct columns *data, struct refusal *refusal)
{
  *steps = (struct steps){.driver = driver, .run = run, .columns = data ? data : &no_columns};
  if (!pattern_make(&steps->pattern, run->statement, run->scheme, refusal) ||
      !check(run, &steps->pattern, steps->columns, refusal))
    return false;
  steps->take = data && run->kind != KIND_ENCODE ? run->rows_per_operation : 1;
  steps->cycle = steps->columns->rows;
  steps->fetched.wanted = run->kind == KIND_QUERY;
  // Array binding wants the rows of an operation side by side, so behind the last row the first ones stand again.
  if (steps->cycle % steps->take) {
    steps->extended = columns_extend(steps->columns, steps->cycle + steps->take - 1);
    steps->columns = &steps->extended;
  }
  return true;
}

void steps_free(struct steps *steps)
{
  pattern_free(&steps->pattern);
  columns_free_extended(&steps->extended);
  text_free(&steps->text);
  fetched_free(&steps->fetched);
}

static void write_value(struct steps *steps, void *handle, size_t place, size_t row)
{
  const struct column *column = &steps->columns->columns[place];
  struct text *text = &steps->text;
  if (column->nulls[row]) {
    text_add(text, "NULL", 4);
    return;
  }
  switch (column->kind) {
  case COLUMN_INTEGER: text_add_integer(text, column->integers[row]); break;
  case COLUMN_REAL: text_add_real(text, column->reals[row]); break;
  case COLUMN_TEXT: steps->driver->quote(handle, text, column->texts[row], column->lengths[row]); break;
  case COLUMN_NULL: break;
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

// write_statement writes the text to prepare; with inline, the first value of a row stands in it.
static void write_statement(struct steps *steps, size_t row)
{
  const struct pattern *pattern = &steps->pattern;
  text_clear(&steps->text);
  for (size_t part = 0; part <= pattern->parameters; part++) {
    if (part == 1 && steps->run->inline_first)
      text_add_integer(&steps->text, steps->columns->columns[0].integers[row]);
    else if (part)
      text_add(&steps->text, "?", 1);
    text_add_string(&steps->text, pattern->parts[part]);
  }
}

static bool prepare(struct steps *steps, void *handle, size_t row, void **statement, struct refusal *refusal)
{
  write_statement(steps, row);
  return steps->driver->prepare(handle, &steps->text, steps->columns, steps->run->inline_first, statement, refusal);
}

bool steps_prepare(struct steps *steps, void *handle, struct refusal *refusal)
{
  if (in_text(steps->run->scheme) || steps->run->inline_first)
    return true;
  return prepare(steps, handle, 0, &steps->statement, refusal);
}

void steps_discard(struct steps *steps)
{
  if (steps->statement)
    steps->driver->discard(steps->statement);
  steps->statement = NULL;
}

void steps_encode(struct steps *steps, void *handle)
{
  write_rows(steps, handle, steps->next, 1);
  steps->next = (steps->next + 1) % steps->cycle;
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

// prepared executes the statement that is there, or one of this operation or, with inline, of each row.
static bool prepared(struct steps *steps, void *handle, size_t row, size_t rows, struct refusal *refusal)
{
  if (steps->statement)
    return execute(steps, steps->statement, row, rows, refusal);
  size_t each = steps->run->inline_first ? 1 : rows;
  for (size_t end = row + rows; row < end; row += each) {
    void *statement;
    if (!prepare(steps, handle, row, &statement, refusal))
      return false;
    bool good = execute(steps, statement, row, each, refusal);
    steps->driver->discard(statement);
    if (!good)
      return false;
  }
  return true;
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

bool steps_operation(struct steps *steps, void *handle, struct refusal *refusal)
{
  static const struct text commit = {.bytes = "COMMIT", .length = 6};
  size_t row = steps->next;
  steps->next = (row + steps->take) % steps->cycle;
  fetched_begin(&steps->fetched);
  if (!by_scheme(steps, handle, row, refusal))
    return false;
  if (steps->run->commit && !steps->driver->query(handle, &commit, &steps->fetched, refusal))
    return false;
  steps->fetched.total += steps->fetched.rows;
  return true;
}
