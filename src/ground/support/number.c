/* See number.h. */
#include "ground/support/number.h"

#include <stdio.h>
#include <stdlib.h>

void rattle__plain_locale(rattle__locale *locale) {
  locale->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale->plain) locale->before = uselocale(locale->plain);
}

void rattle__restore_locale(rattle__locale *locale) {
  if (!locale->plain) return;
  uselocale(locale->before);
  freelocale(locale->plain);
}

int rattle__format(char *buffer, size_t size, const char *format, va_list arguments) {
  rattle__locale locale;
  rattle__plain_locale(&locale);
  const int length = vsnprintf(buffer, size, format, arguments);
  rattle__restore_locale(&locale);
  return length;
}

int rattle__print(char *buffer, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = rattle__format(buffer, size, format, arguments);
  va_end(arguments);
  return length;
}

char *rattle__number_exact(double x, char buffer[RATTLE__NUMBER_ROOM]) {
  rattle__print(buffer, RATTLE__NUMBER_ROOM, "%.17g", x);
  return buffer;
}

char *rattle__number_hex(double x, char buffer[RATTLE__NUMBER_ROOM]) {
  rattle__print(buffer, RATTLE__NUMBER_ROOM, "%a", x);
  return buffer;
}

char *rattle__number_shortest(double x, char buffer[RATTLE__NUMBER_ROOM]) {
  for (int digits = 1; digits <= 17; digits++) {
    rattle__print(buffer, RATTLE__NUMBER_ROOM, "%.*g", digits, x);
    if (rattle__number_read(buffer, NULL) == x) break;
  }
  return buffer;
}

double rattle__number_read(const char *text, char **end) {
  rattle__locale locale;
  rattle__plain_locale(&locale);
  const double x = strtod(text, end);
  rattle__restore_locale(&locale);
  return x;
}
