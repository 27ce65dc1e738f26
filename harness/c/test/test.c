// Tests of what needs no server: buckets, checksum, texts, and conversations with the driver null. Built with the
// sanitizers of addresses and undefined behaviour, which also find what is not freed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "fetched.h"
#include "harness.h"
#include "histogram.h"
#include "pattern.h"
#include "text.h"

static int failures;

#define CHECK(condition, ...)                                                                                          \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      failures++;                                                                                                      \
      printf("%s:%d: ", __FILE__, __LINE__);                                                                           \
      printf(__VA_ARGS__);                                                                                             \
      printf("\n");                                                                                                    \
    }                                                                                                                  \
  } while (0)

static void test_buckets(void)
{
  static const uint64_t cases[][2] = {
      {0, 0},       {2047, 2047},           {2048, 2048},           {2049, 2048},
      {4095, 4094}, {270532609, 270532608}, {271581184, 271581184}, {UINT64_MAX, 0x7FFull << 53}};
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    uint64_t got = histogram_lowest(histogram_index(cases[place][0]));
    CHECK(got == cases[place][1], "bucket of %llu is %llu", (unsigned long long)cases[place][0],
          (unsigned long long)got);
  }
  for (size_t index = 0; index < HISTOGRAM_BUCKETS; index++)
    CHECK(histogram_index(histogram_lowest(index)) == index, "bucket %zu is not the one of its lowest value", index);
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
  static const struct {
    enum scheme scheme;
    const char *statement, *head, *first, *last, *tail; // head NULL: refused
  } cases[] = {
      {SCHEME_MULTI_ROW, "INSERT INTO t (a, b) VALUES (?, ?)", "INSERT INTO t (a, b) VALUES ", "(", ")", ""},
      {SCHEME_MULTI_ROW, "insert into t values(?,NOW())", "insert into t values", "(", ",NOW())", ""},
      {SCHEME_MULTI_ROW, "INSERT INTO t VALUES (?) ON DUPLICATE KEY UPDATE a = VALUES(a)", "INSERT INTO t VALUES ", "(",
       ")", " ON DUPLICATE KEY UPDATE a = VALUES(a)"},
      {SCHEME_MULTI_ROW, "UPDATE t SET a = ? WHERE b = ?", NULL, NULL, NULL, NULL},
      {SCHEME_MULTI_ROW, "SELECT 1", NULL, NULL, NULL, NULL},
      {SCHEME_IN_LIST, "DELETE FROM t WHERE id IN (?)", "DELETE FROM t WHERE id IN (", "", "", ")"},
      {SCHEME_IN_LIST, "SELECT ? FROM t WHERE id IN (?)", NULL, NULL, NULL, NULL},
      {SCHEME_IN_LIST, "SELECT 1", NULL, NULL, NULL, NULL},
      {SCHEME_SINGLE_ROW, "UPDATE t SET a = ? WHERE b = ? AND c", "", "UPDATE t SET a = ", " AND c", ""},
  };
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++) {
    struct pattern pattern;
    struct refusal refusal = {0};
    bool good = pattern_make(&pattern, cases[place].statement, cases[place].scheme, &refusal);
    CHECK(good == !!cases[place].head, "%s: %s", cases[place].statement, refusal.reason);
    if (good && cases[place].head)
      CHECK(!strcmp(pattern.head, cases[place].head) && !strcmp(pattern.parts[0], cases[place].first) &&
                !strcmp(pattern.parts[pattern.parameters], cases[place].last) &&
                !strcmp(pattern.tail, cases[place].tail),
            "%s became %s|%s|%s|%s", cases[place].statement, pattern.head, pattern.parts[0],
            pattern.parts[pattern.parameters], pattern.tail);
    pattern_free(&pattern);
  }
}

static void test_columns(void)
{
  struct refusal refusal = {0};
  struct columns columns;
  json_t *rows = json_loads("[[1, \"a\", 1, null], [2, null, 2.5, null], [3, \"ccc\", 3, null]]", 0, NULL);
  CHECK(columns_of_json(rows, &columns, &refusal), "%s", refusal.reason);
  CHECK(columns.columns[0].kind == COLUMN_INTEGER && columns.columns[1].kind == COLUMN_TEXT &&
            columns.columns[2].kind == COLUMN_REAL && columns.columns[3].kind == COLUMN_NULL,
        "kinds of columns");
  CHECK(columns.columns[1].longest == 3 && columns.columns[1].nulls[1] == 1 && columns.columns[2].reals[0] == 1,
        "values of columns");
  struct columns extended = columns_extend(&columns, 5);
  CHECK(extended.columns[0].integers[4] == 2 && !strcmp(extended.columns[1].texts[3], "a") &&
            extended.columns[1].nulls[4] == 1,
        "rows repeat");
  columns_free_extended(&extended);
  columns_free(&columns);
  json_decref(rows);
  static const char *const bad[] = {"[[1], [\"a\"]]", "[[1], [1, 2]]", "[[true]]", "[1]",
                                    "[[9007199254740993], [0.5]]"};
  for (size_t place = 0; place < sizeof bad / sizeof *bad; place++) {
    rows = json_loads(bad[place], 0, NULL);
    CHECK(!columns_of_json(rows, &columns, &refusal), "%s is taken", bad[place]);
    columns_free(&columns);
    json_decref(rows);
  }
}

// expect asks the harness and compares fields of the answer, given as a JSON object.
static void expect(struct harness *harness, const char *request, const char *want)
{
  char *text = harness_answer(harness, request, strlen(request));
  json_t *answer = json_loads(text, 0, NULL), *fields = json_loads(want, 0, NULL), *value;
  const char *name;
  CHECK(answer && fields, "no JSON: %s %s", text, want);
  json_object_foreach(fields, name, value)
  {
    CHECK(json_equal(value, json_object_get(answer, name)), "%s: %s instead of %s", request, text, want);
  }
  json_decref(answer);
  json_decref(fields);
  free(text);
}

static void test_null_runs(struct harness *harness)
{
  static const char *const schemes[] = {"SingleRow", "Prepared",       "ExecuteMany", "Pipelined",
                                        "MultiRow",  "MultiStatement", "Batch"};
  static const char *const sessions[] = {"Dedicated", "Pool", "New"};
  static const char *const transactions[] = {"Autocommit", "One"};
  for (size_t place = 0; place < 7 * 3 * 2; place++) {
    char request[512];
    snprintf(request, sizeof request,
             "{\"id\": 7, \"do\": \"run\", \"connection\": \"c\", \"kind\": \"Execute\", \"scheme\": \"%s\", "
             "\"session\": \"%s\","
             "\"transaction\": \"%s\", \"statement\": \"INSERT INTO t VALUES (?, ?)\", \"data\": \"rows\", "
             "\"rowsPerOperation\": 2,"
             "\"chunk\": 2, \"operations\": 3}",
             schemes[place % 7], sessions[place / 7 % 3], transactions[place / 21]);
    expect(harness, request, "{\"id\": 7, \"state\": \"ok\", \"operations\": 3, \"rows\": 0, \"checksum\": 0}");
  }
}

#define RUN "{\"id\": 8, \"do\": \"run\", \"connection\": \"c\", \"operations\": 2, "
#define INSERT "\"statement\": \"INSERT INTO t VALUES (?, ?)\", \"data\": \"rows\", \"rowsPerOperation\": 2, "
#define OK "{\"id\": 8, \"state\": \"ok\", \"operations\": 2}"
#define UNSUPPORTED "{\"id\": 8, \"state\": \"unsupported\"}"
#define FAILED "{\"id\": 8, \"state\": \"failed\"}"

static void test_answers(struct harness *harness)
{
  static const char *const cases[][2] = {
      {RUN "\"kind\": \"Connect\"}", OK},
      {RUN "\"kind\": \"Encode\", \"statement\": \"SELECT 1\"}", OK},
      {RUN "\"kind\": \"Query\", \"scheme\": \"SingleRow\", \"statement\": \"SELECT 1\"}", OK},
      {RUN "\"kind\": \"Execute\", \"scheme\": \"Prepared\", \"inline\": true, " INSERT "\"session\": \"New\"}", OK},
      {RUN "\"kind\": \"Execute\", \"scheme\": \"Telepathy\"}", UNSUPPORTED},
      {RUN "\"kind\": \"Execute\", \"scheme\": \"SingleRow\", \"hurry\": true}", UNSUPPORTED},
      {RUN "\"kind\": \"Execute\", \"scheme\": \"SingleRow\", \"session\": \"Borrowed\"}", UNSUPPORTED},
      {RUN "\"kind\": \"Execute\", \"scheme\": \"InList\", " INSERT "\"chunk\": 2}", UNSUPPORTED},
      {RUN "\"kind\": \"Query\", \"scheme\": \"ExecuteMany\", " INSERT "\"chunk\": 2}", UNSUPPORTED},
      {RUN "\"kind\": \"Execute\", \"scheme\": \"ExecuteMany\", " INSERT "\"inline\": true}", UNSUPPORTED},
      {RUN "\"kind\": \"Execute\", \"scheme\": \"MultiRow\", " INSERT "\"chunk\": 0}", FAILED},
      {RUN "\"kind\": \"Execute\"}", FAILED},
      {RUN "\"kind\": \"Connect\", \"seconds\": 1.5}", "{\"id\": 8, \"state\": \"failed\"}"},
      {RUN "\"kind\": \"Query\", \"scheme\": \"SingleRow\", \"statement\": \"SELECT ?\"}", FAILED},
      {RUN "\"kind\": \"Query\", \"scheme\": \"SingleRow\", \"statement\": \"SELECT 1\", \"data\": \"nowhere\"}",
       FAILED},
      {"{\"id\": 8, \"do\": \"run\", \"connection\": \"d\", \"kind\": \"Connect\", \"operations\": 1}", FAILED},
      {"{\"id\": 8, \"do\": \"dance\"}", UNSUPPORTED},
      {"{\"id\": 8, \"do\": \"hello\", \"protocol\": \"assay.dev/driver/v2\"}", UNSUPPORTED},
      {"{\"id\": 8, \"do\": \"hello\", \"protocol\": \"assay.dev/driver/v1\"}",
       "{\"id\": 8, \"state\": \"ok\", \"language\": \"C\"}"},
      {"{\"id\": 8, \"do\": \"prepare\", \"connection\": \"d\", \"driver\": \"nosuch\"}", UNSUPPORTED},
      {"{\"id\": 8, \"do\": \"prepare\", \"connection\": \"d\", \"driver\": \"null\", \"version\": \"2\"}",
       UNSUPPORTED},
      {"{\"id\": 8, \"do\": \"prepare\", \"connection\": \"d\", \"driver\": \"null\", \"options\": {\"fast\": "
       "\"yes\"}}",
       UNSUPPORTED},
      {"{\"id\": 8, \"do\": \"prepare\", \"connection\": \"d\", \"driver\": \"libmariadb\", \"options\": {\"fast\": "
       "\"yes\"}}",
       UNSUPPORTED},
      {"nonsense", "{\"id\": 0, \"state\": \"failed\"}"},
      {"{\"id\": 8, \"do\": \"close\", \"connection\": \"c\"}", "{\"id\": 8, \"state\": \"ok\"}"},
      {"{\"id\": 8, \"do\": \"close\", \"connection\": \"c\"}", FAILED},
  };
  for (size_t place = 0; place < sizeof cases / sizeof *cases; place++)
    expect(harness, cases[place][0], cases[place][1]);
}

int main(void)
{
  test_buckets();
  test_numbers();
  test_checksum();
  test_patterns();
  test_columns();
  struct harness *harness = harness_make();
  expect(harness, "{\"id\": 1, \"do\": \"data\", \"name\": \"rows\", \"rows\": [[1, \"a\"], [2, \"b\"], [3, null]]}",
         "{\"id\": 1, \"state\": \"ok\", \"rows\": 3}");
  expect(harness, "{\"id\": 2, \"do\": \"prepare\", \"connection\": \"c\", \"driver\": \"null\"}",
         "{\"id\": 2, \"state\": \"ok\", \"version\": \"1\", \"cipher\": \"\"}");
  test_null_runs(harness);
  test_answers(harness);
  harness_free(harness);
  printf("%d checks failed\n", failures);
  return failures != 0;
}
