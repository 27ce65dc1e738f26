// What the harness asks of a driver. A new driver is one file, and one line in drivers.c.
#ifndef DRIVER_H
#define DRIVER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "columns.h"
#include "fetched.h"
#include "protocol.h"
#include "refusal.h"
#include "text.h"

// Where a connection goes. Texts live as long as the connection.
struct target {
  const char *host;
  unsigned port;
  const char *database;
  const char *user;
  const char *password;
  const char *authority; // the file with the certificate authority, or NULL if the connection is not encrypted
  json_t *options;       // an object of texts
};

// Every function that returns bool fills the refusal if it returns false, and waits for the end of the answer; rows go
// to `fetched` if wanted there.
struct driver {
  const char *name;
  // How each scheme is done; NULL for one that it cannot do.
  const char *schemes[SCHEMES];
  // How Pool and Encode are done; NULL if it cannot do them.
  const char *pool, *encode;
  // What does several operations at once.
  const char *concurrency;
  // Types of options by their names, in pairs, ended by NULL.
  const char *const *options;

  const char *(*version)(void);
  // The C library below, with its version, or "".
  const char *(*library)(void);

  // Called at the beginning and at the end of every thread but the first; connections may go from one to another.
  void (*thread_begin)(void);
  void (*thread_end)(void);

  bool (*open)(const struct target *target, void **connection, struct refusal *refusal);
  void (*close)(void *connection);

  // Sends a text, which may hold several statements.
  bool (*query)(void *connection, const struct text *text, struct fetched *fetched, struct refusal *refusal);
  // Writes a value into a text, quoted and escaped.
  void (*quote)(void *connection, struct text *text, const char *value, size_t length);

  // Sends a text and does not wait; receive reads the answer of the oldest one that is sent. full says that the
  // connection takes no more before somebody reads. connected is false after an error that broke the connection.
  bool (*send)(void *connection, const struct text *text, struct refusal *refusal);
  bool (*receive)(void *connection, struct fetched *fetched, struct refusal *refusal);
  bool (*full)(void *connection);
  bool (*connected)(void *connection);

  // Prepares a text for rows of these columns.
  bool (*prepare)(void *connection, const char *text, const struct columns *columns, void **statement,
                  struct refusal *refusal);
  bool (*execute)(void *statement, size_t row, struct fetched *fetched, struct refusal *refusal);
  // Executes for so many rows in one call.
  bool (*execute_many)(void *statement, size_t row, size_t rows, struct refusal *refusal);
  void (*discard)(void *statement);
};

extern const struct driver libmariadb_driver;
extern const struct driver null_driver;

// All drivers, ended by NULL.
extern const struct driver *const drivers[];

#endif
