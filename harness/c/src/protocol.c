#include "protocol.h"

#include <string.h>

static const char *const kinds[] = {"Execute", "Query", "Connect", "Encode"};
static const char *const schemes[] = {"SingleRow", "Prepared",       "ExecuteMany", "Pipelined",
                                      "MultiRow",  "MultiStatement", "InList",      "Batch"};

const char *scheme_name(enum scheme scheme) { return schemes[scheme]; }

const char *text_of(json_t *request, const char *field) { return json_string_value(json_object_get(request, field)); }

static size_t number_of(json_t *request, const char *field)
{
  return (size_t)json_integer_value(json_object_get(request, field));
}

// choose finds the text of a field among words; the agent sends no other.
static unsigned choose(const char *const *words, json_t *request, const char *field)
{
  unsigned place = 0;
  while (strcmp(words[place], text_of(request, field)))
    place++;
  return place;
}

struct run_request read_run(json_t *request)
{
  return (struct run_request){
      .kind = choose(kinds, request, "kind"),
      .scheme = choose(schemes, request, "scheme"),
      .commit = json_is_true(json_object_get(request, "commit")),
      .anew = !strcmp(text_of(request, "session"), "New"),
      .statement = text_of(request, "statement"),
      .head = text_of(request, "head"),
      .group = text_of(request, "group"),
      .separator = text_of(request, "separator"),
      .tail = text_of(request, "tail"),
      .rows_per_operation = number_of(request, "rowsPerOperation"),
      .chunk = number_of(request, "chunk"),
      .concurrency = number_of(request, "concurrency"),
      .operations = number_of(request, "operations"),
      .seconds = json_number_value(json_object_get(request, "seconds")),
  };
}
