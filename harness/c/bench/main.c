// SELECT 1 in a loop, as a user of the library would write it: what the harness is compared with. It shares nothing
// with the harness but the library. The connection is not encrypted. Usage: bench libmariadb HOST PORT DATABASE, with
// ASSAY_USERNAME and ASSAY_PASSWORD; each line of standard input is the seconds of a run, and has a line as its answer.
#include <inttypes.h>
#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void check(MYSQL *mysql, int failed)
{
  if (!failed)
    return;
  fprintf(stderr, "bench: error %u: %s\n", mysql_errno(mysql), mysql_error(mysql));
  exit(1);
}

static int64_t select_one(MYSQL *mysql)
{
  check(mysql, mysql_real_query(mysql, "SELECT 1", strlen("SELECT 1")));
  MYSQL_RES *result = mysql_store_result(mysql);
  check(mysql, !result);
  MYSQL_ROW row = mysql_fetch_row(result);
  int64_t value = strtoll(row[0], NULL, 10);
  mysql_free_result(result);
  return value;
}

int main(int count, char **arguments)
{
  if (count != 5 || strcmp(arguments[1], "libmariadb")) {
    fprintf(stderr, "usage: bench libmariadb HOST PORT DATABASE\n");
    return 1;
  }
  unsigned protocol = MYSQL_PROTOCOL_TCP;
  my_bool no = 0;
  MYSQL *mysql = mysql_init(NULL);
  mysql_optionsv(mysql, MYSQL_OPT_PROTOCOL, &protocol);
  mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &no);
  mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &no);
  mysql_optionsv(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  check(mysql, !mysql_real_connect(mysql, arguments[2], getenv("ASSAY_USERNAME"), getenv("ASSAY_PASSWORD"),
                                   arguments[4], (unsigned)strtoul(arguments[3], NULL, 10), NULL, 0));
  char line[64];
  while (fgets(line, sizeof line, stdin)) {
    uint64_t time = (uint64_t)(strtod(line, NULL) * 1e9), operations = 0;
    uint64_t first = now();
    while (now() - first < time)
      operations += (uint64_t)select_one(mysql);
    uint64_t passed = now() - first;
    printf("{\"operations\":%" PRIu64 ",\"nanoseconds\":%" PRIu64 "}\n", operations, passed);
    fflush(stdout);
  }
  mysql_close(mysql);
  return 0;
}
