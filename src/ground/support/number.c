/* See number.h. */
#include "ground/support/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Digits of a text of %.14e without zeros at the end. */
static int significant(const char *text) {
  int digits = DBL_DIG;
  for (const char *last = strchr(text, 'e'); last && digits > 1 && last[-1] == '0'; last--)
    digits--;
  return digits;
}

/* A decimal of at most 15 digits is the one that 15 digits of its double give, but for zeros at the
 * end, if that is normal (DBL_DIG): where these 15 do not read back, fewer do not either. */
char *rattle__number_shortest(double x, char buffer[RATTLE__NUMBER_ROOM]) {
  rattle__locale locale;
  int digits = 1;
  rattle__plain_locale(&locale);
  if (fabs(x) >= DBL_MIN) {
    snprintf(buffer, RATTLE__NUMBER_ROOM, "%.*e", DBL_DIG - 1, x);
    digits = strtod(buffer, NULL) == x ? significant(buffer) : DBL_DIG + 1;
  }
  for (; digits <= 17; digits++) {
    snprintf(buffer, RATTLE__NUMBER_ROOM, "%.*g", digits, x);
    if (strtod(buffer, NULL) == x) break;
  }
  rattle__restore_locale(&locale);
  return buffer;
}

double rattle__number_read(const char *text, char **end) {
  rattle__locale locale;
  rattle__plain_locale(&locale);
  const double x = strtod(text, end);
  rattle__restore_locale(&locale);
  return x;
}
