/* <replicate> of MJCF, written out: copies of what is in it, each in a frame of its own. */
#include <stdlib.h>
#include <string.h>

#include "files/robots/mjcf.h"
#include "ground/support/error.h"
#include "ground/support/number.h"

enum { MOST_COPIES = 100000 }; /* elements, in all copies of a document */

typedef struct copying {
  const rattle__mjcf *m;
  rattle__element *world;
  long long left;
} copying;

static char *print(const rattle__mjcf *m, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static char *print(const rattle__mjcf *m, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = rattle__format(NULL, 0, format, arguments);
  va_end(arguments);
  char *text = rattle__arena_take(&m->document->arena, (size_t)length + 1);
  va_start(arguments, format);
  if (text) rattle__format(text, (size_t)length + 1, format, arguments);
  va_end(arguments);
  return text;
}

static void add(const rattle__mjcf *m, rattle__element *e, const char *name, const char *value) {
  rattle__attribute *a = rattle__arena_take(&m->document->arena, sizeof *a);
  if (!a) return;
  *a = (rattle__attribute){.name = name, .value = value ? value : "", .next = e->attribute};
  e->attribute = a;
}

static void put_last(rattle__element *into, rattle__element *e) {
  e->parent = into;
  if (into->last)
    into->last->next = e;
  else
    into->first = e;
  into->last = e;
}

/* Copies of all that `from` holds, with the ending at their names. */
static void copy(copying *c, rattle__element *into, const rattle__element *from,
                 const char *ending) {
  for (const rattle__element *e = from->first; e && c->left-- > 0; e = e->next) {
    rattle__element *own = rattle__arena_take(&c->m->document->arena, sizeof *own);
    if (!own) return;
    *own = (rattle__element){.name = e->name, .file = e->file, .text = e->text, .line = e->line};
    for (const rattle__attribute *a = e->attribute; a; a = a->next) {
      const int named = !strcmp(a->name, "name") && *a->value;
      add(c->m, own, a->name, named ? print(c->m, "%s%s", a->value, ending) : a->value);
    }
    put_last(into, own);
    copy(c, own, e, ending);
  }
}

/* The frame of copy `k`. */
static rattle__element *frame_of(copying *c, const rattle__element *e, const rattle__pose *pose,
                                 const char *ending) {
  rattle__element *frame = rattle__arena_take(&c->m->document->arena, sizeof *frame);
  const char *class = rattle__xml_value(e, "childclass");
  const double *x = pose->at, *q = pose->quat;
  c->left--;
  if (!frame) return NULL;
  *frame = (rattle__element){.name = "frame", .file = e->file, .line = e->line};
  add(c->m, frame, "pos", print(c->m, "%.17g %.17g %.17g", x[0], x[1], x[2]));
  add(c->m, frame, "quat", print(c->m, "%.17g %.17g %.17g %.17g", q[0], q[1], q[2], q[3]));
  if (class) add(c->m, frame, "childclass", class);
  copy(c, frame, e, ending);
  return frame;
}

static rattle_status replicate(copying *c, rattle__element *e, rattle__element *into,
                               rattle_error *error) {
  const rattle__mjcf *m = c->m;
  const char *given = rattle__xml_value(e, "count"), *between = rattle__xml_value(e, "sep");
  char *end = NULL;
  const long count = given ? strtol(given, &end, 10) : -1;
  double offset[3] = {0}, euler[3] = {0};
  rattle__pose pose = {.quat = {1}};
  if (count < 0 || count > MOST_COPIES || end == given || end[strspn(end, " \t\r\n")])
    return rattle__xml_fail(m->document, e, error,
                            "count of <replicate> is \"%s\": expected a whole number from 0 to %d",
                            given ? given : "", MOST_COPIES);
  rattle_status status = rattle__xml_numbers(m->document, e, "euler", euler, 3, NULL, error);
  if (!status) status = rattle__xml_numbers(m->document, e, "offset", offset, 3, NULL, error);
  int digits = 1;
  for (long n = count; n > 9; n /= 10) digits++;
  for (long k = 0; k < count && !status; k++) {
    const char *ending = print(m, "%s%0*ld", between ? between : "", digits, k);
    rattle__element *frame = ending ? frame_of(c, e, &pose, ending) : NULL;
    if (!frame) return rattle__no_memory(error);
    put_last(into, frame);
    /* a step along the axes of this copy; the next one is turned by multiples of the angles */
    pose = rattle__pose_in(&pose,
                           &(rattle__pose){.at = {offset[0], offset[1], offset[2]}, .quat = {1}});
    const double angle[3] = {(double)(k + 1) * euler[0], (double)(k + 1) * euler[1],
                             (double)(k + 1) * euler[2]};
    rattle__mjcf_euler(m, angle, pose.quat);
    if (c->left < 0)
      return rattle__xml_fail(m->document, e, error,
                              "copies of <replicate> have more than %d elements", MOST_COPIES);
  }
  return status;
}

/* The element without its content stays in the world: its attributes that nothing asked for are
 * named with the others. */
static void keep(copying *c, rattle__element *e) {
  e->first = e->last = NULL;
  e->used = 1;
  put_last(c->world, e);
}

/* From the inside outwards: names end in the numbers of inner copies first. */
static rattle_status expand(copying *c, rattle__element *e, rattle_error *error) {
  rattle__element *next, *first = e->first;
  rattle_status status = RATTLE_OK;
  e->first = e->last = NULL;
  for (rattle__element *child = first; child && !status; child = next) {
    next = child->next;
    child->next = NULL;
    status = expand(c, child, error);
    if (strcmp(child->name, "replicate") != 0)
      put_last(e, child);
    else if (!status)
      status = replicate(c, child, e, error), keep(c, child);
  }
  return status;
}

rattle_status rattle__mjcf_replicate(const rattle__mjcf *m, rattle_error *error) {
  copying c = {.m = m, .left = MOST_COPIES};
  rattle_status status = RATTLE_OK;
  for (rattle__element *e = m->document->root->first; e && !status; e = e->next)
    if (!strcmp(e->name, "worldbody")) status = expand(&c, c.world = e, error);
  return status;
}
