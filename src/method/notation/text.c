/* Trees of methods as their canonical text, with defaults omitted. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "method/notation/method.h"
#include "ground/support/number.h"

void rattle__put(rattle__text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = rattle__format(text->at, text->room, format, arguments);
  va_end(arguments);
  const size_t used = length < 0                    ? 0
                      : (size_t)length < text->room ? (size_t)length
                                                    : text->room - 1;
  text->at += used;
  text->room -= used;
}

/* The shortest decimal that reads back as x: 1e-6, not 1e-06. */
void rattle__put_number(rattle__text *text, double x) {
  char digits[RATTLE__NUMBER_ROOM];
  if (x == rint(x) && fabs(x) < 1e6) {
    rattle__put(text, "%.0f", x);
    return;
  }
  rattle__number_shortest(x, digits);
  char *exponent = strchr(digits, 'e');
  if (!exponent) {
    rattle__put(text, "%s", digits);
    return;
  }
  *exponent++ = 0;
  rattle__put(text, "%se%d", digits, atoi(exponent));
}

/* The text between two arguments: "(" before the first. */
static const char *separator(int *count) {
  return (*count)++ ? ", " : "(";
}

static void put_value(rattle__text *text, const rattle__argument *argument,
                      rattle_parameter_type type) {
  if (argument->node)
    rattle__put_node(text, argument->node);
  else if (type == RATTLE_TAKES_INTEGER)
    rattle__put(text, "%.0f", argument->number);
  else if (type == RATTLE_TAKES_NUMBER)
    rattle__put_number(text, argument->number);
  else
    rattle__put(text, "%s", argument->word);
}

void rattle__put_node(rattle__text *text, const rattle__node *node) {
  const rattle_method_parameter *parameter = node->row->parameter;
  int count = 0;
  rattle__put(text, "%s", node->row->name);
  for (int i = 0; parameter[i].name; i++) {
    if (!node->argument[i].given) continue;
    rattle__put(text, "%s", separator(&count));
    if (parameter[i].option) rattle__put(text, "%s=", parameter[i].name);
    put_value(text, &node->argument[i], parameter[i].type);
  }
  if (node->compensated) rattle__put(text, "%scompensated", separator(&count));
  if (node->quad) rattle__put(text, "%squad", separator(&count));
  if (count) rattle__put(text, ")");
}
