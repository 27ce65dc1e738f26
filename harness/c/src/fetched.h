// What a query fetched, as values of C, and the checksum that says whether every driver fetched the same.
#ifndef FETCHED_H
#define FETCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "refusal.h"
#include "text.h"

enum cell_kind { CELL_NULL, CELL_INTEGER, CELL_UNSIGNED, CELL_REAL, CELL_TEXT, CELL_OTHER };

struct cell {
  enum cell_kind kind;
  union {
    int64_t integer;
    uint64_t natural;
    double real;
    struct {
      size_t place; // in the bytes of all texts
      size_t length;
    } text;
  };
};

// The rows of the operation that runs or ran last, one cell after another, and how many there were in all.
struct fetched {
  bool wanted; // rows are wanted at all: with the kind Query
  struct cell *cells;
  size_t used;
  size_t capacity;
  size_t *ends; // of each row, in cells
  size_t rows;
  size_t rows_capacity;
  struct text bytes;
  uint64_t total;
};

void fetched_begin(struct fetched *fetched);
// fetched_cell returns a new cell of the row under construction.
struct cell *fetched_cell(struct fetched *fetched);
// fetched_bytes copies bytes into a cell of the kind text or other.
void fetched_bytes(struct fetched *fetched, struct cell *cell, const char *bytes, size_t length);
void fetched_end_row(struct fetched *fetched);
void fetched_free(struct fetched *fetched);
// fetched_checksum returns the CRC-32 of the text of the last operation's rows, as the protocol defines that text.
bool fetched_checksum(const struct fetched *fetched, uint32_t *checksum, struct refusal *refusal);

#endif
