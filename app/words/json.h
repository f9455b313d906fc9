#ifndef RATTLE_JSON_H
#define RATTLE_JSON_H
/* JSON on a stream: objects and arrays as they come, numbers in full precision, strings escaped,
 * UTF-8 kept and what is not UTF-8 replaced. */
#include <stdio.h>

typedef struct json_writer {
  FILE *out;
  int depth;
  unsigned long long filled; /* bit d: something was written at depth d */
  int indent;                /* members are on lines of their own at this depth or less */
  int page; /* 1: for a script element: no spaces, shortest numbers, no "<", ">", "&" that could
               end the element */
} json_writer;

/* '{' or '['; key NULL in arrays and at the top */
void json_open(json_writer *json, const char *key, char bracket);
void json_close(json_writer *json, char bracket); /* '}' or ']' */
/* of a value that the caller writes to json->out */
void json_key(json_writer *json, const char *key);
void json_text(json_writer *json, const char *key, const char *value); /* NULL: null */
void json_real(json_writer *json, const char *key, double value);      /* not finite: null */
void json_integer(json_writer *json, const char *key, long long value);
void json_bool(json_writer *json, const char *key, int value);

/* The shortest of 15 to 17 digits that reads back as the value. Returns buffer. */
char *json_shortest(double value, char buffer[32]);
#endif
