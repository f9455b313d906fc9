#ifndef RATTLE__CSV_H
#define RATTLE__CSV_H
/* Names in the head of a CSV: of runs, sweeps and samples. */
#include <string.h>

/* True if a spreadsheet would take a cell that begins so for a formula: also by the full-width
 * forms of these letters, which some editions of Excel take as well. */
static inline int rattle__csv_formula(const char *name) {
  static const char *const wide[] = {"\uff1d", "\uff0b", "\uff0d", "\uff20"};
  for (int i = 0; i < 4; i++)
    if (!strncmp(name, wide[i], 3)) return 1;
  return *name && strchr("=+-@", *name);
}

/* Writes a name between `before` and `after` to out, without a final 0: in quotes if it must be,
 * and with a quotation mark before it where a spreadsheet would take it for a formula, which makes
 * it a text there. Returns the bytes written: at most twice those of the name, those of the others,
 * and 3. */
static inline size_t rattle__csv_name(char *out, const char *before, const char *name,
                                      const char *after) {
  const int quoted = strpbrk(name, ",\"\r\n") != NULL,
            formula = !*before && rattle__csv_formula(name);
  char *to = out;
  if (quoted) *to++ = '"';
  if (formula) *to++ = '\'';
  to = stpcpy(to, before);
  for (; *name; name++) {
    if (*name == '"') *to++ = '"';
    *to++ = *name;
  }
  to = stpcpy(to, after);
  if (quoted) *to++ = '"';
  return (size_t)(to - out);
}
#endif
