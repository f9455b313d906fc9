#ifndef REPORT_BLOB_H
#define REPORT_BLOB_H
/* Arrays in the page, as base64: all arrays of a page are one run of bytes, little-endian, each
 * beginning at a multiple of 8. */
#include <stdint.h>
#include <stdio.h>

#include "words/fields.h"

typedef struct report_blob {
  FILE *out;
  unsigned char waiting[3];
  int count;       /* bytes that wait */
  long long bytes; /* given so far */
} report_blob;
typedef struct report_array {
  char type; /* 'd' float64, 'f' float32, 'w' uint16, 'i' int32; 0: no array */
  long long at, count;
} report_array;
report_array report_put_doubles(report_blob *blob, const double *values, long long count);
report_array report_put_words(report_blob *blob, const uint16_t *values, long long count);
report_array report_put_integers(report_blob *blob, const int32_t *values, long long count);
/* As float32 of (value - base)/scale. */
report_array report_put_floats(report_blob *blob, const double *values, long long count,
                               double base, double scale);
void report_blob_end(report_blob *blob);

/* ["f", at, count]; null if none */
void report_json_array(json_writer *json, const char *key, report_array array);
#endif
