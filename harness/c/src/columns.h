// Rows of parameters as a program in C holds them for array binding: one array per column.
#ifndef COLUMNS_H
#define COLUMNS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum column_kind { COLUMN_INTEGER, COLUMN_REAL, COLUMN_TEXT };

// Of the arrays of values one is there, according to the kind.
struct column {
  enum column_kind kind;
  int64_t *integers;
  double *reals;
  char **texts;
  unsigned long *lengths;
  unsigned long longest;
};

struct columns {
  size_t rows;
  size_t count;
  struct column *columns;
};

// columns_of_json makes columns of rows, which are equally long; a column has values of one kind.
struct columns columns_of_json(json_t *rows);
void columns_free(struct columns *columns);

#endif
