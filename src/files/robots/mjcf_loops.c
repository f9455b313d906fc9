/* Equalities of MJCF as constraints that hold exactly. */
#include <stdlib.h>
#include <string.h>

#include "files/robots/mjcf.h"
#include "ground/support/number.h"

static rattle_status find(const rattle__mjcf *m, const rattle__element *e, const char *attribute,
                          int joint, int *link, rattle_error *error) {
  const char *name = rattle__xml_value(e, attribute);
  for (int i = 0; i < m->links && name; i++) {
    const char *here = joint ? m->link[i].joint : m->link[i].name;
    if (!here || strcmp(here, name) != 0) continue;
    *link = i;
    return RATTLE_OK;
  }
  if (!name && *link >= 0) return RATTLE_OK;
  return rattle__xml_fail(m->document, e, error, "%s of <%s> is %s%s%s", attribute, e->name,
                          name ? "\"" : "not given", name ? name : "",
                          !name   ? ""
                          : joint ? "\", which is no joint"
                                  : "\", which is no body");
}

/* The frame of a link in the pose of the file. */
static rattle__pose stands(const rattle__mjcf *m, int link) {
  rattle__pose pose = {.quat = {1}};
  for (; link > 0; link = m->link[link].parent) {
    rattle__pose in = {.quat = {1}};
    memcpy(in.at, m->link[link].origin, sizeof in.at);
    memcpy(in.quat, m->link[link].quat, sizeof in.quat);
    pose = rattle__pose_in(&in, &pose);
  }
  return pose;
}

/* A name that no link and no joint has, without slashes. */
static void write_name(FILE *file, const rattle__mjcf *m, const rattle__element *e, int number) {
  const char *name = rattle__xml_value(e, "name");
  const size_t length = name ? strlen(name) : 0;
  char *own = malloc(length + 40);
  if (!own) return;
  if (length)
    strcpy(own, name);
  else
    rattle__print(own, 40, "%s%d", e->name, number);
  for (char *c = own; *c; c++)
    if (*c == '/') *c = '_';
  for (int i = 0; i < m->links; i++)
    if (!strcmp(m->link[i].name, own) || (m->link[i].joint && !strcmp(m->link[i].joint, own))) {
      strcat(own, ".equality");
      break;
    }
  rattle__lua_write_string(file, own);
  free(own);
}

static void write_point(FILE *file, const char *name, const double at[3]) {
  fputs("robot:point(", file);
  rattle__lua_write_string(file, name);
  fputs(", ", file);
  rattle__lua_write_list(file, at, 3);
  fputc(')', file);
}

/* ---- two bodies, and what of them is held together ---- */

struct ends {
  int link[2];
  rattle__pose at[2]; /* in the frames of the links */
};

static rattle_status find_site(const rattle__mjcf *m, const rattle__element *e, int which,
                               struct ends *ends, rattle_error *error) {
  const char *const attribute = which ? "site2" : "site1", *name = rattle__xml_value(e, attribute);
  for (const rattle__mjcf_site *s = m->site; s && name; s = s->next) {
    const char *own = rattle__xml_value(s->part.element, "name");
    if (!own || strcmp(own, name) != 0) continue;
    rattle__pose pose;
    s->part.element->used = 1;
    rattle__mjcf_mark_defaults(m, "site");
    ends->link[which] = s->link;
    const rattle_status status = rattle__mjcf_pose(m, s->part.element, s->part.class, &pose, error);
    ends->at[which] = rattle__pose_in(&s->part.frame, &pose);
    return status;
  }
  return rattle__xml_fail(m->document, e, error, "%s of <%s> is %s%s%s", attribute, e->name,
                          name ? "\"" : "not given", name ? name : "",
                          name ? "\", which is no site" : "");
}

/* *sites: the ends are sites, which need not be together in the pose of the file. */
static rattle_status find_ends(const rattle__mjcf *m, const rattle__element *e, struct ends *ends,
                               int *sites, rattle_error *error) {
  *ends = (struct ends){{-1, 0}, {{.quat = {1}}, {.quat = {1}}}};
  *sites = rattle__xml_value(e, "site1") || rattle__xml_value(e, "site2");
  rattle_status status = RATTLE_OK;
  for (int i = 0; i < 2 && !status; i++)
    status = *sites ? find_site(m, e, i, ends, error)
                    : find(m, e, i ? "body2" : "body1", 0, &ends->link[i], error);
  if (!status && ends->link[0] == ends->link[1])
    status = rattle__xml_fail(m->document, e, error, "<%s> is between a body and itself", e->name);
  return status;
}

static rattle_status write_connect(FILE *file, const rattle__mjcf *m, const rattle__element *e,
                                   int number, rattle_error *error) {
  struct ends ends;
  int sites;
  rattle_status status = find_ends(m, e, &ends, &sites, error);
  struct rattle__mjcf_numbers at = {"anchor", ends.at[0].at, 3, 3, 0};
  if (!status && !sites) status = rattle__mjcf_read(m, e, NULL, &at, error);
  if (!status && !sites && !at.count)
    status = rattle__xml_fail(m->document, e, error, "<connect> needs an anchor");
  if (status) return status;
  if (!sites) {
    const rattle__pose of_a = stands(m, ends.link[0]), of_b = stands(m, ends.link[1]),
                       in_space = rattle__pose_in(&of_a, &ends.at[0]);
    ends.at[1] = rattle__pose_seen(&of_b, &in_space);
  }
  fputs("mech.spherical(", file);
  write_name(file, m, e, number);
  for (int i = 0; i < 2; i++) {
    fputs(", ", file);
    write_point(file, m->link[ends.link[i]].name, ends.at[i].at);
  }
  fputs(")\n", file);
  return RATTLE_OK;
}

/* b in the frame of a, that the frames at the ends are one. */
static rattle__pose joined(const struct ends *ends) {
  const rattle__pose nowhere = {.quat = {1}}, back = rattle__pose_seen(&ends->at[1], &nowhere);
  return rattle__pose_in(&ends->at[0], &back);
}

static rattle_status write_weld(FILE *file, const rattle__mjcf *m, const rattle__element *e,
                                int number, rattle_error *error) {
  struct ends ends;
  int sites;
  double given[7] = {0};
  struct rattle__mjcf_numbers relpose = {"relpose", given, 7, 7, 0};
  rattle_status status = find_ends(m, e, &ends, &sites, error);
  if (!status && !sites) status = rattle__mjcf_read(m, e, NULL, &relpose, error);
  if (status) return status;
  rattle__xml_value(e, "anchor"); /* wherever it is: what is welded moves as one */
  const rattle__pose of_a = stands(m, ends.link[0]), of_b = stands(m, ends.link[1]);
  rattle__pose pose = sites ? joined(&ends) : rattle__pose_seen(&of_a, &of_b);
  if (relpose.count && rattle__quat_unit(given + 3)) {
    memcpy(pose.at, given, sizeof pose.at);
    memcpy(pose.quat, given + 3, sizeof pose.quat);
  }
  fputs("robot:weld(", file);
  write_name(file, m, e, number);
  for (int i = 0; i < 2; i++) {
    fputs(", ", file);
    rattle__lua_write_string(file, m->link[ends.link[i]].name);
  }
  fputs(", ", file);
  rattle__lua_write_list(file, pose.at, 3);
  fputs(", ", file);
  rattle__lua_write_list(file, pose.quat, 4);
  fputs(")\n", file);
  return RATTLE_OK;
}

/* ---- joints, and sums of joints ---- */

static void write_distance_from(FILE *file, const rattle__link *l) {
  fputs("robot:position(", file);
  rattle__lua_write_string(file, l->joint);
  fputc(')', file);
  if (l->position == 0) return;
  fputs(" - ", file);
  if (l->position < 0) fputc('(', file);
  rattle__lua_write_number(file, l->position);
  if (l->position < 0) fputc(')', file);
}

static rattle_status find_joint(const rattle__mjcf *m, const rattle__element *e,
                                const char *attribute, int *link, rattle_error *error) {
  const rattle_status status = find(m, e, attribute, 1, link, error);
  if (status || rattle__mjcf_places(&m->link[*link]) == 1) return status;
  return rattle__xml_fail(m->document, e, error, "%s of <%s> neither turns nor slides", attribute,
                          e->name);
}

static rattle_status find_tendon(const rattle__mjcf *m, const rattle__element *e,
                                 const char *attribute, const rattle__element **found,
                                 rattle_error *error) {
  const char *name = rattle__xml_value(e, attribute);
  for (rattle__element *t = m->document->root->first; t && name; t = t->next) {
    if (strcmp(t->name, "tendon") != 0) continue;
    for (rattle__element *c = t->first; c; c = c->next) {
      const char *own = rattle__xml_value(c, "name");
      if (!own || strcmp(own, name) != 0) continue;
      t->used = c->used = 1;
      *found = c;
      if (!strcmp(c->name, "fixed")) return RATTLE_OK;
      return rattle__xml_fail(
          m->document, e, error,
          "%s of <tendon> is \"%s\", which is no fixed tendon: lengths of others "
          "are not read",
          attribute, name);
    }
  }
  return rattle__xml_fail(m->document, e, error, "%s of <tendon> is %s%s%s", attribute,
                          name ? "\"" : "not given", name ? name : "",
                          name ? "\", which is no tendon" : "");
}

/* The change of the length of a fixed tendon, a sum of multiples of the positions of joints, from
 * the pose of the file. */
static rattle_status write_length(FILE *file, const rattle__mjcf *m, const rattle__element *tendon,
                                  rattle_error *error) {
  rattle_status status = RATTLE_OK;
  const char *between = "";
  for (const rattle__element *j = rattle__xml_child(tendon, "joint"); j && !status;
       j = rattle__xml_again(j)) {
    double coefficient = 0;
    int link = -1;
    status = find_joint(m, j, "joint", &link, error);
    if (!status) status = rattle__xml_numbers(m->document, j, "coef", &coefficient, 1, NULL, error);
    if (status) return status;
    fputs(between, file);
    rattle__lua_write_number(file, coefficient);
    fputs("*(", file);
    write_distance_from(file, &m->link[link]);
    fputc(')', file);
    between = " + ";
  }
  if (!status && !*between)
    status = rattle__xml_fail(m->document, tendon, error, "a fixed tendon has no joints");
  return status;
}

static rattle_status write_joint_equality(FILE *file, const rattle__mjcf *m,
                                          const rattle__element *e, int number,
                                          rattle_error *error) {
  int one = -1, two = -1;
  double c[5] = {0, 1, 0, 0, 0};
  struct rattle__mjcf_numbers polynomial = {"polycoef", c, 1, 5, 0};
  rattle_status status = find_joint(m, e, "joint1", &one, error);
  if (!status && rattle__xml_value(e, "joint2")) status = find_joint(m, e, "joint2", &two, error);
  if (!status) status = rattle__mjcf_read(m, e, NULL, &polynomial, error);
  if (status) return status;
  fputs("robot:couple(", file);
  write_name(file, m, e, number);
  fputs(", ", file);
  rattle__lua_write_string(file, m->link[one].joint);
  fputs(", ", file);
  if (two >= 0)
    rattle__lua_write_string(file, m->link[two].joint);
  else
    fputs("nil", file);
  fputs(", ", file);
  rattle__lua_write_list(file, c, two >= 0 ? 5 : 1);
  fputs(")\n", file);
  return RATTLE_OK;
}

/* one = c[0] + c[1] x + ... + c[4] x^4, x the other */
static rattle_status write_tendon_equality(FILE *file, const rattle__mjcf *m,
                                           const rattle__element *e, int number,
                                           rattle_error *error) {
  const rattle__element *one = NULL, *two = NULL;
  double c[5] = {0, 1, 0, 0, 0};
  struct rattle__mjcf_numbers polynomial = {"polycoef", c, 1, 5, 0};
  rattle_status status = find_tendon(m, e, "tendon1", &one, error);
  if (!status && rattle__xml_value(e, "tendon2"))
    status = find_tendon(m, e, "tendon2", &two, error);
  if (!status) status = rattle__mjcf_read(m, e, NULL, &polynomial, error);
  if (!status && two) {
    fputs("do\n  local x = ", file);
    status = write_length(file, m, two, error);
    fputs("\n  ", file);
  }
  if (status) return status;
  fputs("mech.hold(", file);
  write_name(file, m, e, number);
  fputs(", ", file);
  status = write_length(file, m, one, error);
  fputs(" - (", file);
  rattle__lua_write_number(file, c[0]);
  for (int i = 1; i < 5 && two; i++) {
    if (c[i] == 0) continue;
    fputs(" + ", file);
    rattle__lua_write_number(file, c[i]);
    fprintf(file, i == 1 ? "*x" : "*x^%d", i);
  }
  fputs(two ? "))\nend\n" : "))\n", file);
  return status;
}

static rattle_status write_equality(FILE *file, const rattle__mjcf *m, rattle__element *e,
                                    int number, rattle_error *error) {
  static const struct {
    const char *name;
    rattle_status (*write)(FILE *, const rattle__mjcf *, const rattle__element *, int,
                           rattle_error *);
  } kinds[] = {{"connect", write_connect},
               {"weld", write_weld},
               {"joint", write_joint_equality},
               {"tendon", write_tendon_equality}};
  for (int i = 0; i < 4; i++) {
    if (strcmp(kinds[i].name, e->name) != 0) continue;
    e->used = 1;
    return kinds[i].write(file, m, e, number, error);
  }
  if (!strncmp(e->name, "flex", 4)) return RATTLE_OK; /* of parts that are not there */
  return rattle__xml_fail(m->document, e, error,
                          "the equality <%s> is not read: expected connect, weld, joint or tendon",
                          e->name);
}

rattle_status rattle__mjcf_loops(FILE *file, const rattle__mjcf *m, rattle_error *error) {
  int number = 0;
  rattle_status status = RATTLE_OK;
  for (rattle__element *e = m->document->root->first; e && !m->no_equality; e = e->next) {
    if (strcmp(e->name, "equality") != 0) continue;
    e->used = 1;
    for (rattle__element *c = e->first; c && !status; c = c->next) {
      const char *active = rattle__xml_value(c, "active");
      if (!active || strcmp(active, "false") != 0)
        status = write_equality(file, m, c, ++number, error);
    }
  }
  return status;
}
