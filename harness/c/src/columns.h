// Rows of parameters as a program in C holds them for array binding: one array per column.
#ifndef COLUMNS_H
#define COLUMNS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "refusal.h"

enum column_kind { COLUMN_NULL, COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT };

// Of the arrays of values one is there, according to the kind; none if every value is null.
struct column {
  enum column_kind kind;
  int64_t *integers;
  double *reals;
  char **texts;
  unsigned long *lengths;
  unsigned long longest;
  char *nulls; // 1 where the value is null, which is what an indicator of array binding is
};

struct columns {
  size_t rows;
  size_t count;
  struct column *columns;
};

// columns_of_json makes columns of rows; all must be equally long, and a column of one kind beside null.
bool columns_of_json(json_t *rows, struct columns *columns, struct refusal *refusal);
// columns_extend repeats the first rows behind the last one, up to so many rows. Texts stay those of the original.
struct columns columns_extend(const struct columns *columns, size_t rows);
void columns_free(struct columns *columns);
// columns_free_extended leaves the texts, which are another's.
void columns_free_extended(struct columns *columns);

#endif
