/* Attributes of MJCF: of the element, else of its class of defaults, else of the classes around
 * that one. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "files/robots/mjcf.h"
#include "ground/support/number.h"

const rattle__element *rattle__mjcf_setting(const rattle__mjcf *m, const char *element,
                                            const char *name) {
  const rattle__element *found = NULL;
  for (rattle__element *e = m->document->root->first; e; e = e->next)
    if (!strcmp(e->name, element)) {
      e->used = 1;
      if (rattle__xml_value(e, name)) found = e;
    }
  return found;
}

/* ---- defaults ---- */

static int is_default(const rattle__element *e) {
  return !strcmp(e->name, "default");
}

static void mark(rattle__element *e, const char *name) {
  if (!is_default(e) && strcmp(e->name, name) != 0) return;
  e->used = 1;
  if (!is_default(e)) return;
  rattle__xml_value(e, "class");
  for (rattle__element *c = e->first; c; c = c->next) mark(c, name);
}

void rattle__mjcf_mark_defaults(const rattle__mjcf *m, const char *name) {
  for (rattle__element *e = m->document->root->first; e; e = e->next)
    if (is_default(e)) mark(e, name);
}

static const rattle__element *find_class(const rattle__element *e, const char *name) {
  for (; e; e = e->next) {
    if (!is_default(e)) continue;
    for (const rattle__attribute *a = e->attribute; a; a = a->next)
      if (!strcmp(a->name, "class") && !strcmp(a->value, name)) return e;
    const rattle__element *found = find_class(e->first, name);
    if (found) return found;
  }
  return NULL;
}

rattle_status rattle__mjcf_class(const rattle__mjcf *m, const rattle__element *e, const char *name,
                                 const rattle__element **class, rattle_error *error) {
  const char *wanted = rattle__xml_value(e, name);
  if (!wanted) return RATTLE_OK;
  *class = find_class(m->document->root->first, wanted);
  if (*class || !strcmp(wanted, "main")) return RATTLE_OK;
  return rattle__xml_fail(m->document, e, error, "there is no class \"%s\" of defaults", wanted);
}

/* The last element of that name in a class that has the attribute. */
static const rattle__element *in_class(const rattle__element *class, const char *element,
                                       const char *name) {
  const rattle__element *found = NULL;
  for (const rattle__element *e = class->first; e; e = e->next)
    if (!strcmp(e->name, element) && rattle__xml_value(e, name)) found = e;
  return found;
}

const rattle__element *rattle__mjcf_source(const rattle__mjcf *m, const rattle__element *e,
                                           const rattle__element *class, const char *name) {
  const rattle__element *root = m->document->root, *found = NULL;
  if (rattle__xml_value(e, name)) return e;
  if (!strcmp(e->name, "freejoint") || !strcmp(e->name, "body") || !strcmp(e->name, "inertial"))
    return NULL;
  for (; class && class != root; class = class->parent)
    if ((found = in_class(class, e->name, name))) return found;
  for (const rattle__element *d = root->first; d; d = d->next) {
    const rattle__element *here = is_default(d) ? in_class(d, e->name, name) : NULL;
    if (here) found = here;
  }
  return found;
}

const char *rattle__mjcf_value(const rattle__mjcf *m, const rattle__element *e,
                               const rattle__element *class, const char *name) {
  return rattle__xml_value(rattle__mjcf_source(m, e, class, name), name);
}

rattle_status rattle__mjcf_read(const rattle__mjcf *m, const rattle__element *e,
                                const rattle__element *class, struct rattle__mjcf_numbers *numbers,
                                rattle_error *error) {
  const rattle__element *source = rattle__mjcf_source(m, e, class, numbers->name);
  numbers->count = 0;
  if (!source) return RATTLE_OK;
  const char *at = rattle__xml_value(source, numbers->name);
  for (;;) {
    char *end;
    while (isspace((unsigned char)*at)) at++;
    if (!*at) break;
    const double x = rattle__number_read(at, &end);
    if (numbers->count == numbers->most || end == at || !isfinite(x) ||
        (*end && !isspace((unsigned char)*end))) {
      numbers->count = -1;
      break;
    }
    numbers->value[numbers->count++] = x;
    at = end;
  }
  if (numbers->count >= numbers->least) return RATTLE_OK;
  char range[32] = "";
  if (numbers->most > numbers->least) rattle__print(range, sizeof range, " to %d", numbers->most);
  return rattle__xml_fail(m->document, source, error,
                          "%s of <%s> is \"%.60s\": expected %d%s finite number%s", numbers->name,
                          e->name, rattle__xml_value(source, numbers->name), numbers->least, range,
                          numbers->most == 1 ? "" : "s");
}

rattle_status rattle__mjcf_number(const rattle__mjcf *m, const rattle__element *e,
                                  const rattle__element *class, const char *name, double *value,
                                  rattle_error *error) {
  struct rattle__mjcf_numbers one = {name, value, 1, 1, 0};
  return rattle__mjcf_read(m, e, class, &one, error);
}
