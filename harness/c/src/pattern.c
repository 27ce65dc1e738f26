#include "pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"

// cut makes the pattern that repeats the bytes from one place to another.
static void cut(struct pattern *pattern, const char *statement, size_t from, size_t to, const char *separator)
{
  pattern->head = duplicate(statement, from);
  pattern->tail = duplicate(statement + to, strlen(statement) - to);
  pattern->separator = separator;
  pattern->parameters = 0;
  for (size_t place = from; place < to; place++)
    pattern->parameters += statement[place] == '?';
  pattern->parts = allocate(pattern->parameters + 1, sizeof *pattern->parts);
  size_t begin = from, part = 0;
  for (size_t place = from; place <= to; place++) {
    if (place < to && statement[place] != '?')
      continue;
    pattern->parts[part++] = duplicate(statement + begin, place - begin);
    begin = place + 1;
  }
}

// last_word finds the last occurrence of a word before an end.
static const char *last_word(const char *text, const char *end, const char *word)
{
  size_t length = strlen(word);
  for (const char *place = end - length; place >= text; place--)
    if (!strncasecmp(place, word, length))
      return place;
  return NULL;
}

static const char *skip_blanks(const char *place)
{
  while (isspace((unsigned char)*place))
    place++;
  return place;
}

// closing finds the parenthesis that closes the one at a place.
static const char *closing(const char *open)
{
  int depth = 0;
  for (const char *place = open; *place; place++) {
    depth += (*place == '(') - (*place == ')');
    if (!depth)
      return place;
  }
  return NULL;
}

// cut_tuple finds the tuple of INSERT ... VALUES (?, ...).
static bool cut_tuple(struct pattern *pattern, const char *statement, struct refusal *refusal)
{
  const char *parameter = strchr(statement, '?');
  const char *values = parameter ? last_word(statement, parameter, "VALUES") : NULL;
  const char *open = values ? skip_blanks(values + strlen("VALUES")) : NULL;
  const char *close = open && *open == '(' ? closing(open) : NULL;
  if (!close || strchr(close, '?'))
    return unsupported(refusal, "MultiRow needs a statement with all its parameters in VALUES (?, ...)");
  cut(pattern, statement, (size_t)(open - statement), (size_t)(close + 1 - statement), ", ");
  return true;
}

// cut_list finds the parameter of ... IN (?).
static bool cut_list(struct pattern *pattern, const char *statement, struct refusal *refusal)
{
  const char *parameter = strchr(statement, '?');
  const char *after = parameter && parameter[1] == ')' ? skip_blanks(parameter + 2) : NULL;
  const char *before = parameter && parameter > statement && parameter[-1] == '(' ? parameter - 1 : NULL;
  while (before && before > statement && isspace((unsigned char)before[-1]))
    before--;
  if (!after || *after || !before || before - statement < 3 || strncasecmp(before - 3, " IN", 3))
    return unsupported(refusal, "InList needs a statement that ends in IN (?) and has no other parameter");
  size_t place = (size_t)(parameter - statement);
  cut(pattern, statement, place, place + 1, ", ");
  return true;
}

bool pattern_make(struct pattern *pattern, const char *statement, enum scheme scheme, struct refusal *refusal)
{
  *pattern = (struct pattern){0};
  if (scheme == SCHEME_MULTI_ROW)
    return cut_tuple(pattern, statement, refusal);
  if (scheme == SCHEME_IN_LIST)
    return cut_list(pattern, statement, refusal);
  cut(pattern, statement, 0, strlen(statement), ";");
  return true;
}

void pattern_free(struct pattern *pattern)
{
  for (size_t part = 0; pattern->parts && part <= pattern->parameters; part++)
    free(pattern->parts[part]);
  free(pattern->parts);
  free(pattern->head);
  free(pattern->tail);
  *pattern = (struct pattern){0};
}
