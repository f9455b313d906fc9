#ifndef RATTLE__UTF8_H
#define RATTLE__UTF8_H
/* Text from files and models: where its characters end, for the rooms that show it. */

/* Length of the well-formed UTF-8 character at s, 1 to 4, or 0 if it is none; s ends with 0. RFC
 * 3629. */
static inline int rattle__utf8_length(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  if (s[0] < 0x80) return 1;
  int length = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
               : (s[0] & 0xF0) == 0xE0        ? 3
               : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                              : 0;
  for (int i = 1; i < length; i++)
    if ((s[i] & 0xC0) != 0x80) return 0;
  /* overlong forms, surrogates, beyond U+10FFFF */
  if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
  if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
  return length;
}

/* Characters of a text; a byte that belongs to none counts as one. */
static inline int rattle__utf8_characters(const char *text) {
  int count = 0;
  for (; *text; count++) {
    const int length = rattle__utf8_length(text);
    text += length ? length : 1;
  }
  return count;
}

/* Bytes of the whole characters at the beginning of a text that fit into `most`; for "%.*s". */
static inline int rattle__utf8_fitting(const char *text, int most) {
  int bytes = 0;
  while (text[bytes]) {
    const int length = rattle__utf8_length(text + bytes), next = bytes + (length ? length : 1);
    if (next > most) break;
    bytes = next;
  }
  return bytes;
}
#endif
