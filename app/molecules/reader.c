/* Lines and words of a text file, and lists that grow. */
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "molecules/topology.h"

static const size_t most_bytes = (size_t)4 << 30;

static rattle_status fail(rattle_error *error, rattle_status status, const char *path,
                          long long line, const char *format, va_list arguments) {
  char message[sizeof error->message];
  vsnprintf(message, sizeof message, format, arguments);
  return line > 0 ? text_fail(error, status, "%.200s:%lld: %s", path, line, message)
                  : text_fail(error, status, "%.200s: %s", path, message);
}

rattle_status topology_wrong(const topology_reader *reader, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail(reader->error, RATTLE_BAD_MODEL, reader->path, reader->line, format, arguments);
  va_end(arguments);
  return RATTLE_BAD_MODEL;
}

rattle_status topology_other(const topology_reader *r) {
  static const struct {
    const char *begin, *what;
  } known[] = {{"PSF", "a PSF of CHARMM"},
               {"%VERSION", "a topology of Amber (prmtop)"},
               {"%FLAG", "a topology of Amber (prmtop)"},
               {"CRYST1", "a PDB file"},
               {"HEADER", "a PDB file"},
               {"ATOM ", "a PDB file"},
               {"HETATM", "a PDB file"},
               {"data_", "an mmCIF file"},
               {"@<TRIPOS>", "a MOL2 file"},
               {"<?xml", "a file in XML"},
               {"<System", "a System of OpenMM"}};
  const char *text = r->text + strspn(r->text, " \t\r\n");
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (!strncmp(text, known[k].begin, strlen(known[k].begin)))
      return topology_wrong(r,
                            "this seems to be %s: the Python package has its bonds by MDAnalysis, "
                            "ParmEd or OpenMM (`rattle help python`)",
                            known[k].what);
  return topology_wrong(r, "this is no topology: not `rattle-bonds 1`, not a data file of LAMMPS "
                           "with `N atoms`, and its name does not end in .top as those of GROMACS "
                           "do; the Python package reads other formats");
}

static rattle_status whole(rattle_error *error, rattle_status status, const char *path,
                           const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail(error, status, path, 0, format, arguments);
  va_end(arguments);
  return status;
}

rattle_status topology_open(topology_reader *reader, const char *path, char comment,
                            rattle_error *error) {
  *reader = (topology_reader){.path = path, .comment = comment, .error = error};
  struct stat about;
  /* a fifo that nobody writes is opened, and refused below */
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
  if (!file) {
    if (descriptor >= 0) close(descriptor);
    return whole(error, RATTLE_IO, path, "cannot be read: check the path and the permissions");
  }
  rattle_status status = RATTLE_OK;
  if (fstat(fileno(file), &about) || !S_ISREG(about.st_mode))
    status = whole(error, RATTLE_IO, path, "is not a file that can be read");
  else if ((size_t)about.st_size > most_bytes)
    status = whole(error, RATTLE_BAD_MODEL, path, "has more than 4 GB");
  else if (!(reader->text = malloc((size_t)about.st_size + 1)))
    status = whole(error, RATTLE_NO_MEMORY, path, "no memory for the file");
  if (!status) {
    reader->size = fread(reader->text, 1, (size_t)about.st_size, file);
    reader->text[reader->size] = 0;
    reader->at = reader->text;
    if (ferror(file))
      status = whole(error, RATTLE_IO, path, "cannot be read");
    else if (memchr(reader->text, 0, reader->size))
      status = whole(error, RATTLE_BAD_MODEL, path, "is not a text");
  }
  fclose(file);
  return status;
}

void topology_close(topology_reader *reader) {
  free(reader->text);
  reader->text = reader->at = NULL;
}

/* Blanks the backslash that makes a line, which ends at `end`, go on; 0: there is none. */
static int join(char *line, char *end) {
  char *last = end;
  while (last > line && strchr(" \t\r\f\v", last[-1])) last--;
  if (last == line || last[-1] != '\\') return 0;
  last[-1] = ' ';
  return 1;
}

char *topology_raw_line(topology_reader *reader) {
  char *line = reader->at, *end = line + strcspn(line, "\n");
  if (!*line) return NULL;
  reader->line += 1 + reader->more, reader->more = 0;
  for (char *from = line; reader->goes_on && *end && join(from, end); reader->more++) {
    *end = ' ', from = end + 1;
    end = from + strcspn(from, "\n");
  }
  reader->at = *end ? end + 1 : end;
  *end = 0;
  return line;
}

int topology_line(topology_reader *reader) {
  static char none[1];
  char *line;
  for (reader->words = 0; !reader->words && (line = topology_raw_line(reader));) {
    reader->remark = strchr(line, reader->comment);
    if (reader->remark)
      *reader->remark++ = 0;
    else
      reader->remark = none;
    while (reader->words < TOPOLOGY_WORDS && *(line += strspn(line, " \t\r\f\v"))) {
      reader->word[reader->words++] = line;
      line += strcspn(line, " \t\r\f\v");
      if (*line) *line++ = 0;
    }
  }
  return reader->words > 0;
}

rattle_status topology_number(const topology_reader *reader, int index, const char *what,
                              double *value) {
  if (index >= reader->words) return topology_wrong(reader, "%s is missing", what);
  char *rest;
  *value = strtod(reader->word[index], &rest);
  if (*rest || rest == reader->word[index] || !(fabs(*value) < 1e100))
    return topology_wrong(reader, "%s is a number, not %.60s", what, reader->word[index]);
  return RATTLE_OK;
}

rattle_status topology_whole(const topology_reader *reader, int index, const char *what,
                             long long least, long long most, long long *value) {
  double number = 0;
  const rattle_status status = topology_number(reader, index, what, &number);
  if (status) return status;
  if (number != floor(number) || number < (double)least || number > (double)most)
    return topology_wrong(reader, "%s is a whole number from %lld to %lld, not %.60s", what, least,
                          most, reader->word[index]);
  *value = (long long)number;
  return RATTLE_OK;
}

rattle_status topology_ends(const topology_reader *reader, int words) {
  if (reader->words <= words) return RATTLE_OK;
  return topology_wrong(reader, "%.60s is one word too many: such a line has %d",
                        reader->word[words], words);
}

double topology_radians(double degrees) {
  return degrees == 180 ? acos(-1) : degrees * (acos(-1) / 180);
}

static int widen(void **array, size_t count, size_t size) {
  void *wider = realloc(*array, count * size);
  if (wider) *array = wider;
  return wider != NULL;
}

rattle_status topology_add(topology_list *list, const int *atom, topology_entry entry,
                           rattle_error *error) {
  if (list->count == list->room) {
    const size_t room = 2 * (size_t)list->room + 64;
    if (room > (size_t)1 << 28 ||
        !widen((void **)&list->atom, (size_t)list->of * room, sizeof *list->atom) ||
        !widen((void **)&list->value, room, sizeof *list->value) ||
        !widen((void **)&list->constant, room, sizeof *list->constant) ||
        !widen((void **)&list->source, room, sizeof *list->source))
      return whole(error, RATTLE_NO_MEMORY, "bonds", "no memory for %zu of them", room);
    list->room = (long long)room;
  }
  topology_put(list, list->count++, atom, entry);
  return RATTLE_OK;
}

void topology_put(topology_list *list, long long k, const int *atom, topology_entry entry) {
  memmove(list->atom + list->of * k, atom, (size_t)list->of * sizeof *atom);
  list->value[k] = entry.value, list->constant[k] = entry.constant;
  list->source[k] = entry.source;
}

topology_entry topology_entry_of(const topology_list *list, long long k) {
  return (topology_entry){list->value[k], list->constant[k], list->source[k]};
}

void topology_list_free(topology_list *list) {
  free(list->atom), free(list->value), free(list->constant), free(list->source);
  *list = (topology_list){.of = list->of};
}

rattle_status topology_room(topology *t, long long atoms, int placed,
                            const topology_options *options, const topology_reader *reader) {
  const long long most = options->most_atoms ? options->most_atoms : 20000000;
  if (atoms > most)
    return topology_wrong(reader, "%lld atoms are more than %lld, the most that are read", atoms,
                          most);
  t->mass = calloc((size_t)atoms + 1, sizeof *t->mass);
  if (placed) t->place = calloc(3 * ((size_t)atoms + 1), sizeof *t->place);
  if (!t->mass || (placed && !t->place))
    return whole(reader->error, RATTLE_NO_MEMORY, reader->path, "no memory for %lld atoms", atoms);
  t->atoms = atoms;
  t->mass[0] = 1;
  return RATTLE_OK;
}
