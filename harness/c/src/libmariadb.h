// What the files of the driver libmariadb share.
#ifndef LIBMARIADB_H
#define LIBMARIADB_H

#include <mysql.h>
#include <stdbool.h>

#include "columns.h"
#include "fetched.h"
#include "refusal.h"
#include "text.h"

// A connection of the library.
struct link {
  MYSQL mysql;
  bool broken; // by an error of the library, after which the order of answers is unknown
};

// link_failed fills the refusal from an error, and marks the connection as broken if it is one of the connection.
bool link_failed(struct link *link, unsigned error, const char *words, struct refusal *refusal);

// rows_from_text takes over the rows of a result of the text protocol.
void rows_from_text(MYSQL_RES *result, struct fetched *fetched);

bool statement_prepare(void *connection, const char *text, const struct columns *columns, void **made,
                       struct refusal *refusal);
bool statement_execute(void *statement, size_t row, struct fetched *fetched, struct refusal *refusal);
bool statement_execute_many(void *statement, size_t row, size_t rows, struct refusal *refusal);
void statement_discard(void *statement);

// The columns of a binary result, bound once per statement.
struct bound;
struct bound *bound_make(MYSQL_STMT *statement, MYSQL_RES *metadata);
bool bound_fetch(struct bound *bound, struct link *link, struct fetched *fetched, struct refusal *refusal);
void bound_free(struct bound *bound);

#endif
