// The driver libmariadb: MariaDB Connector/C, as Debian builds it.
#include "libmariadb.h"

#include <errmsg.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "memory.h"

// An option of the connection, by the library's own name in option files.
struct option {
  const char *name;
  enum mysql_option option;
  bool number; // or nothing but true
};

static const struct option options[] = {
    {"compress", MYSQL_OPT_COMPRESS, false},
    {"connect-timeout", MYSQL_OPT_CONNECT_TIMEOUT, true},
    {"read-timeout", MYSQL_OPT_READ_TIMEOUT, true},
    {"write-timeout", MYSQL_OPT_WRITE_TIMEOUT, true},
};

static const char *const option_types[] = {"compress",     "boolean", "connect-timeout", "integer",
                                           "read-timeout", "integer", "write-timeout",   "integer",
                                           NULL};

static const char *version(void) { return mysql_get_client_info(); }

static const char *library(void)
{
  static char name[64];
  snprintf(name, sizeof name, "libmariadb %s", mysql_get_client_info());
  return name;
}

static void thread_begin(void) { mysql_thread_init(); }

static void thread_end(void) { mysql_thread_end(); }

bool link_failed(struct link *link, unsigned error, const char *words, struct refusal *refusal)
{
  if (error == CR_FUNCTION_NOT_SUPPORTED || error == CR_NOT_IMPLEMENTED)
    return unsupported(refusal, "error %u: %s", error, words);
  // Errors of servers leave the connection usable; those of the library begin at 2000 and 5000.
  link->broken |= error / 1000 == 2 || error / 1000 == 5;
  failed(refusal, "error %u: %s", error, words);
  refusal->code = error;
  return false;
}

static bool fails(struct link *link, struct refusal *refusal)
{
  return link_failed(link, mysql_errno(&link->mysql), mysql_error(&link->mysql), refusal);
}

static void set_option(MYSQL *mysql, const char *name, const char *value)
{
  const struct option *option = options;
  while (strcmp(option->name, name))
    option++;
  unsigned number = (unsigned)strtoul(value, NULL, 10);
  if (option->number || !strcmp(value, "true"))
    mysql_optionsv(mysql, option->option, option->number ? &number : NULL);
}

static void set_options(MYSQL *mysql, const struct target *target)
{
  const char *name;
  json_t *value;
  // Since 3.4 the library encrypts by default if the server can, so both ways are said.
  my_bool encrypted = target->authority != NULL;
  mysql_optionsv(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &encrypted);
  if (encrypted)
    mysql_optionsv(mysql, MYSQL_OPT_SSL_CA, target->authority);
  mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &encrypted);
  json_object_foreach(target->options, name, value) { set_option(mysql, name, json_string_value(value)); }
}

static void close_link(void *connection)
{
  struct link *link = connection;
  mysql_close(&link->mysql);
  free(link);
}

static bool open_link(const struct target *target, void **connection, struct refusal *refusal)
{
  struct link *link = allocate(1, sizeof *link);
  const char *database = *target->database ? target->database : NULL;
  unsigned protocol = MYSQL_PROTOCOL_TCP; // a host of the name localhost would be a socket
  mysql_init(&link->mysql);
  mysql_optionsv(&link->mysql, MYSQL_OPT_PROTOCOL, &protocol);
  set_options(&link->mysql, target);
  if (mysql_real_connect(&link->mysql, target->host, target->user, target->password, database, target->port, NULL,
                         CLIENT_MULTI_STATEMENTS)) {
    *connection = link;
    return true;
  }
  fails(link, refusal);
  close_link(link);
  return false;
}

// take_result takes over what an answer has: rows, or nothing.
static bool take_result(struct link *link, struct fetched *fetched, struct refusal *refusal)
{
  MYSQL_RES *result = mysql_store_result(&link->mysql);
  if (!result)
    return !mysql_errno(&link->mysql) || fails(link, refusal);
  rows_from_text(result, fetched);
  mysql_free_result(result);
  return true;
}

// take_results takes over every answer to a text. All are read, or the next text would get those that are left.
static bool take_results(struct link *link, struct fetched *fetched, struct refusal *refusal)
{
  bool good = take_result(link, fetched, refusal);
  for (;;) {
    struct refusal later;
    int next = mysql_next_result(&link->mysql);
    if (next < 0)
      return good;
    if (next > 0)
      return fails(link, good ? refusal : &later) && good;
    good = take_result(link, fetched, good ? refusal : &later) && good;
  }
}

static bool query(void *connection, const struct text *text, struct fetched *fetched, struct refusal *refusal)
{
  struct link *link = connection;
  if (mysql_real_query(&link->mysql, text->bytes, text->length))
    return fails(link, refusal);
  return take_results(link, fetched, refusal);
}

static void quote(void *connection, struct text *text, const char *value, size_t length)
{
  struct link *link = connection;
  text_reserve(text, 2 * length + 3); // every byte escaped, two quotation marks, and the end of a string
  text->bytes[text->length++] = '\'';
  text->length += mysql_real_escape_string(&link->mysql, text->bytes + text->length, value, length);
  text->bytes[text->length++] = '\'';
}

static bool send_text(void *connection, const struct text *text, struct refusal *refusal)
{
  struct link *link = connection;
  return !mysql_send_query(&link->mysql, text->bytes, text->length) || fails(link, refusal);
}

static bool receive(void *connection, struct fetched *fetched, struct refusal *refusal)
{
  struct link *link = connection;
  if (mysql_read_query_result(&link->mysql))
    return fails(link, refusal);
  return take_results(link, fetched, refusal);
}

static bool full(void *connection)
{
  struct link *link = connection;
  struct pollfd socket = {.fd = mysql_get_socket(&link->mysql), .events = POLLOUT};
  return poll(&socket, 1, 0) == 0;
}

static bool connected(void *connection) { return !((struct link *)connection)->broken; }

const struct driver libmariadb_driver = {
    .name = "libmariadb",
    .schemes =
        {
            [SCHEME_SINGLE_ROW] = "mysql_real_query(): COM_QUERY; parameters are written into the text by "
                                  "mysql_real_escape_string() and snprintf()",
            [SCHEME_PREPARED] =
                "mysql_stmt_prepare() once, values copied into the bound buffers, mysql_stmt_execute(): "
                "COM_STMT_EXECUTE",
            [SCHEME_EXECUTE_MANY] =
                "mysql_stmt_execute() with STMT_ATTR_ARRAY_SIZE: one COM_STMT_BULK_EXECUTE with all rows "
                "on MariaDB; MySQL has no such command, and the library refuses it there",
            [SCHEME_PIPELINED] = "mysql_send_query() for every row, then mysql_read_query_result() for every answer: "
                                 "COM_QUERY, parameters written into the text",
            [SCHEME_MULTI_ROW] =
                "mysql_real_query() of one text with all tuples: COM_QUERY, parameters written into it",
            [SCHEME_MULTI_STATEMENT] =
                "mysql_real_query() of statements joined by ; with CLIENT_MULTI_STATEMENTS, then "
                "mysql_next_result() for each: COM_QUERY, parameters written into it",
            [SCHEME_IN_LIST] = "mysql_real_query() of one text with all keys: COM_QUERY",
        },
    .concurrency = "threads of POSIX, a connection each",
    .options = option_types,
    .version = version,
    .library = library,
    .thread_begin = thread_begin,
    .thread_end = thread_end,
    .open = open_link,
    .close = close_link,
    .query = query,
    .quote = quote,
    .send = send_text,
    .receive = receive,
    .full = full,
    .connected = connected,
    .prepare = statement_prepare,
    .execute = statement_execute,
    .execute_many = statement_execute_many,
    .discard = statement_discard,
};
