// Tests of what needs no server: buckets, checksum, texts, workers, and conversations with the driver null. Built with
// the sanitizers of addresses and undefined behaviour, which also find what is not freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "columns.h"
#include "fetched.h"
#include "harness.h"
#include "histogram.h"
#include "pattern.h"
#include "text.h"

int failures;

static void test_buckets(void)
{
  // A value and the lowest one of its bucket have one index, and the value below has the index before.
  static const uint64_t cases[][2] = {
      {0, 0},       {2047, 2047},           {2048, 2048},           {2049, 2048},
      {4095, 4094}, {270532609, 270532608}, {271581184, 271581184}, {UINT64_MAX, 0x7FFull << 53}};
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    size_t index = histogram_index(cases[place][0]), lowest = histogram_index(cases[place][1]);
    CHECK(index == lowest && index < HISTOGRAM_BUCKETS, "the bucket of %llu is %zu instead of %zu",
          (unsigned long long)cases[place][0], index, lowest);
    CHECK(!cases[place][1] || histogram_index(cases[place][1] - 1) == lowest - 1, "%llu is not the lowest of %zu",
          (unsigned long long)cases[place][1], lowest);
  }
}

static void test_numbers(void)
{
  static const struct {
    double value;
    const char *want;
  } cases[] = {{62.35, "62.35"}, {0.1, "0.1"}, {-3, "-3"}, {1.0 / 3, "0.33333333333333331"}};
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    struct text text = {0};
    text_add_real(&text, cases[place].value);
    CHECK(text.length == strlen(cases[place].want) && !memcmp(text.bytes, cases[place].want, text.length),
          "%s became %.*s", cases[place].want, (int)text.length, text.bytes);
    text_free(&text);
  }
}

static void test_checksum(void)
{
  struct refusal refusal = {0};
  struct fetched fetched = {.wanted = true};
  uint32_t checksum = 1;
  CHECK(fetched_checksum(&fetched, &checksum, &refusal) && checksum == 0, "no rows have the checksum %u", checksum);
  fetched_cell(&fetched)->kind = CELL_INTEGER;
  fetched.cells[0].integer = -1;
  struct cell *cell = fetched_cell(&fetched);
  cell->kind = CELL_TEXT;
  fetched_bytes(&fetched, cell, "User_é", strlen("User_é"));
  fetched_cell(&fetched)->kind = CELL_NULL;
  cell = fetched_cell(&fetched);
  cell->kind = CELL_UNSIGNED;
  cell->natural = UINT64_MAX;
  fetched_cell(&fetched)->kind = CELL_REAL; // the fifth does not count
  fetched_end_row(&fetched);
  // CRC-32 of "-1\tUser_é\t\\N\t18446744073709551615\n" as Python's zlib.crc32 has it.
  CHECK(fetched_checksum(&fetched, &checksum, &refusal) && checksum == 4270052554u, "the checksum is %u", checksum);
  fetched.cells[0].kind = CELL_REAL;
  CHECK(!fetched_checksum(&fetched, &checksum, &refusal) && refusal.state == STATE_FAILED,
        "a float among the first four has a checksum");
  fetched_free(&fetched);
}

static void test_patterns(void)
{
  struct run_request run = {
      .statement = "DO ?", .head = "INSERT INTO t VALUES ", .group = "(?, ?)", .separator = ", ", .tail = "!"};
  struct pattern pattern = pattern_make(&run);
  CHECK(pattern.parameters == 2 && !strcmp(pattern.parts[0], "(") && !strcmp(pattern.parts[1], ", ") &&
            !strcmp(pattern.parts[2], ")") && !strcmp(pattern.tail, "!"),
        "a group became %s|%s|%s", pattern.parts[0], pattern.parts[1], pattern.parts[2]);
  pattern_free(&pattern);
  run = (struct run_request){.statement = "SELECT ?, 1", .head = "", .group = "", .separator = "", .tail = ""};
  pattern = pattern_make(&run);
  CHECK(pattern.parameters == 1 && !strcmp(pattern.parts[0], "SELECT ") && !strcmp(pattern.parts[1], ", 1"),
        "a statement became %s|%s", pattern.parts[0], pattern.parts[1]);
  pattern_free(&pattern);
}

static void test_columns(void)
{
  json_t *rows = json_loads("[[1, \"a\", 1.0], [2, \"\", 2.5], [3, \"ccc\", 3.0]]", 0, NULL);
  struct columns columns = columns_of_json(rows);
  CHECK(columns.rows == 3 && columns.count == 3 && columns.columns[0].kind == COLUMN_INTEGER &&
            columns.columns[1].kind == COLUMN_TEXT && columns.columns[2].kind == COLUMN_REAL,
        "kinds of columns");
  CHECK(columns.columns[0].integers[1] == 2 && columns.columns[1].longest == 3 && columns.columns[1].lengths[1] == 0 &&
            columns.columns[2].reals[1] == 2.5,
        "values of columns");
  columns_free(&columns);
  json_decref(rows);
}

// Every scheme and session of null, by one worker and by several, so that the sanitizers see them; what is said is the
// matter of the conformance suite.
static void test_null(void)
{
  static const char *const requests[] = {
      "{\"id\": 1, \"do\": \"hello\", \"protocol\": \"assay.dev/driver/v2\"}",
      "{\"id\": 1, \"do\": \"data\", \"name\": \"rows\", \"rows\": [[1, \"a\"], [2, \"b\"], [3, \"\"], [4, \"d\"]]}",
      "{\"id\": 1, \"do\": \"prepare\", \"connection\": \"c\", \"driver\": \"null\", \"version\": \"\", \"host\": \"\", "
      "\"port\": 1, \"database\": \"\", \"tls\": false, \"options\": {}}",
  };
  static const char *const sessions[] = {"Dedicated", "Pool", "New"};
  struct harness *harness = harness_make();
  char run[1024];
  for (size_t place = 0; place < 3 + SCHEMES * 3 * 2; place++) {
    size_t way = (place - 3) / 2, concurrency = (place - 3) % 2 ? 3 : 1;
    snprintf(run, sizeof run,
             "{\"id\": 1, \"do\": \"run\", \"connection\": \"c\", \"kind\": \"Execute\", \"scheme\": \"%s\", "
             "\"session\": \"%s\", \"commit\": true, \"inline\": false, \"statement\": \"INSERT INTO t VALUES (?, ?)\", "
             "\"head\": \"INSERT INTO t VALUES \", \"group\": \"(?, ?)\", \"separator\": \", \", \"tail\": \"\", "
             "\"data\": \"rows\", \"rowsPerOperation\": 4, \"chunk\": 3, \"concurrency\": %zu, "
             "\"operations\": 3, \"seconds\": 0}",
             place < 3 ? "" : scheme_name((enum scheme)(way % SCHEMES)), place < 3 ? "" : sessions[way / SCHEMES],
             concurrency);
    const char *request = place < 3 ? requests[place] : run;
    char *answer = harness_answer(harness, request, strlen(request));
    CHECK(strstr(answer, "\"state\":\"ok\""), "%s: %s", request, answer);
    CHECK(place < 3 || strstr(answer, "\"cpuNanoseconds\":"), "%s: there is no CPU time in %s", request, answer);
    free(answer);
  }
  harness_free(harness);
}

int main(void)
{
  test_buckets();
  test_numbers();
  test_checksum();
  test_patterns();
  test_columns();
  test_workers();
  test_null();
  printf("%d checks failed\n", failures);
  return failures != 0;
}
