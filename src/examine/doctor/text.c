/* Texts of a diagnosis. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examine/doctor/report.h"
#include "ground/support/number.h"

const char *rattle__doctor_text(rattle_doctor *doctor, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  rattle__format(text, sizeof text, format, arguments);
  va_end(arguments);
  const char *copy = rattle__pool_copy(&doctor->pool, text, strlen(text));
  if (copy) return copy;
  doctor->failed = 1;
  return "";
}

void rattle__doctor_note(rattle_doctor *doctor, const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  rattle__format(text, sizeof text, format, arguments);
  va_end(arguments);
  size_t length = strlen(text) + 3;
  if (doctor->noted + length >= doctor->room) {
    char *larger = realloc(doctor->note, doctor->room + length + 1024);
    if (!larger) {
      doctor->failed = 1;
      return;
    }
    doctor->note = larger;
    doctor->room += length + 1024;
  }
  doctor->noted +=
      (size_t)sprintf(doctor->note + doctor->noted, "%s%s", doctor->noted ? "; " : "", text);
}
