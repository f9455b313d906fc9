#ifndef RATTLE__NUMBER_H
#define RATTLE__NUMBER_H
/* Numbers as text with a decimal point, whatever the locale of the host: a host with a decimal
 * comma gets the same hashes, the same native code and the same files. */
#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

enum { RATTLE__NUMBER_ROOM = 40 };

/* The C locale for this thread, until it is restored. */
typedef struct rattle__locale {
  locale_t plain, before;
} rattle__locale;
void rattle__plain_locale(rattle__locale *locale);
void rattle__restore_locale(rattle__locale *locale);

/* Texts that read back as x. All return the buffer. */
char *rattle__number_exact(double x, char buffer[RATTLE__NUMBER_ROOM]); /* %.17g */
char *rattle__number_shortest(double x,
                              char buffer[RATTLE__NUMBER_ROOM]); /* as few digits as it takes */
char *rattle__number_hex(double x, char buffer[RATTLE__NUMBER_ROOM]); /* %a, for C */
/* As strtod. */
double rattle__number_read(const char *text, char **end);
/* As vsnprintf and snprintf. */
int rattle__format(char *buffer, size_t size, const char *format, va_list arguments);
int rattle__print(char *buffer, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
#endif
