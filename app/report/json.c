/* Arrays of the page in its JSON. */
#include "report/parts.h"

void report_json_array(json_writer *json, const char *key, report_array array) {
  json_key(json, key);
  if (array.type)
    fprintf(json->out, "[\"%c\",%lld,%lld]", array.type, array.at, array.count);
  else
    fputs("null", json->out);
}
