/* Arrays in a page: base64 of little-endian numbers. */
#include <string.h>

#include "pages/report/blob.h"

static void put_quantum(report_blob *blob) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *b = blob->waiting;
  int count = blob->count;
  char text[4] = {digit[b[0] >> 2], digit[(b[0] & 3) << 4 | b[1] >> 4],
                  count > 1 ? digit[(b[1] & 15) << 2 | b[2] >> 6] : '=',
                  count > 2 ? digit[b[2] & 63] : '='};
  fwrite(text, 1, 4, blob->out);
  memset(blob->waiting, 0, sizeof blob->waiting);
  blob->count = 0;
}

/* The `size` low bytes of bits, lowest first. */
static void put_bytes(report_blob *blob, uint64_t bits, int size) {
  for (int i = 0; i < size; i++) {
    blob->waiting[blob->count++] = (unsigned char)(bits >> (8 * i));
    blob->bytes++;
    if (blob->count == 3) put_quantum(blob);
  }
}

static report_array begin(report_blob *blob, char type, long long count) {
  while (blob->bytes % 8) put_bytes(blob, 0, 1);
  return (report_array){.type = type, .at = blob->bytes, .count = count};
}

report_array report_put_doubles(report_blob *blob, const double *values, long long count) {
  report_array array = begin(blob, 'd', count);
  for (long long i = 0; i < count; i++) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    put_bytes(blob, bits, 8);
  }
  return array;
}

report_array report_put_floats(report_blob *blob, const double *values, long long count,
                               double base, double scale) {
  report_array array = begin(blob, 'f', count);
  for (long long i = 0; i < count; i++) {
    float number = (float)((values[i] - base) / scale);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_bytes(blob, bits, 4);
  }
  return array;
}

report_array report_put_words(report_blob *blob, const uint16_t *values, long long count) {
  report_array array = begin(blob, 'w', count);
  for (long long i = 0; i < count; i++) put_bytes(blob, values[i], 2);
  return array;
}

report_array report_put_integers(report_blob *blob, const int32_t *values, long long count) {
  report_array array = begin(blob, 'i', count);
  for (long long i = 0; i < count; i++) put_bytes(blob, (uint32_t)values[i], 4);
  return array;
}

void report_blob_end(report_blob *blob) {
  if (blob->count) put_quantum(blob);
}

void report_json_array(json_writer *json, const char *key, report_array array) {
  json_key(json, key);
  if (array.type)
    fprintf(json->out, "[\"%c\",%lld,%lld]", array.type, array.at, array.count);
  else
    fputs("null", json->out);
}
