#ifndef RATTLE__SHA256_H
#define RATTLE__SHA256_H
/* SHA-256 (FIPS 180-4), for content hashes that anybody can check with other tools. */
#include <stddef.h>
#include <stdint.h>

typedef struct rattle__sha256 {
  uint32_t state[8];
  uint64_t length; /* bytes taken in */
  unsigned char block[64];
} rattle__sha256;

void rattle__sha256_begin(rattle__sha256 *hash);
void rattle__sha256_add(rattle__sha256 *hash, const void *data, size_t size);
/* The digest as 64 lower-case hexadecimal digits and a zero byte. */
void rattle__sha256_end(rattle__sha256 *hash, char text[65]);
#endif
