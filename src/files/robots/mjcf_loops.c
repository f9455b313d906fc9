/* MJCF beyond the tree: keyframes as starts, equalities as constraints that hold exactly. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/robots/mjcf.h"
#include "ground/support/error.h"
#include "ground/support/number.h"

/* ---- keyframes ---- */

static int places(const rattle__link *l) {
  static const int count[] = {
      [RATTLE__FIXED] = 0,  [RATTLE__REVOLUTE] = 1,  [RATTLE__PRISMATIC] = 1,
      [RATTLE__PLANAR] = 0, [RATTLE__SPHERICAL] = 4, [RATTLE__FREE] = 7};
  return count[l->type];
}

static int rates(const rattle__link *l) {
  const int count = places(l);
  return count > 1 ? count - 1 : count;
}

static void write_entry(FILE *file, const char *name, const double *x, int count) {
  fprintf(file, "%s = ", name);
  if (count == 1)
    rattle__lua_write_number(file, x[0]);
  else
    rattle__lua_write_list(file, x, count);
}

/* The place of a free body: of its velocity, which MJCF gives along the axes of space, along its
 * own. */
static void write_free(FILE *file, const double *q, const double *v) {
  double back[4] = {q[3], -q[4], -q[5], -q[6]}, velocity[3];
  rattle__quat_unit(back);
  rattle__quat_turn(back, v, velocity);
  write_entry(file, "origin", q, 3);
  write_entry(file, ", quat", q + 3, 4);
  write_entry(file, ", velocity", velocity, 3);
  write_entry(file, ", spin", v + 3, 3);
}

static void write_key(FILE *file, const rattle__mjcf *m, const char *name, const double *q,
                      const double *v) {
  fputs("  { -- ", file);
  rattle__lua_write_string(file, name ? name : "");
  fputc('\n', file);
  for (int i = 1; i < m->links; i++) {
    const rattle__link *l = &m->link[i];
    if (!places(l)) continue;
    fputs("    [", file);
    rattle__lua_write_string(file, l->joint);
    fputs("] = {", file);
    if (l->type == RATTLE__FREE) {
      write_free(file, q, v);
    } else {
      write_entry(file, l->type == RATTLE__SPHERICAL ? "rotation" : "position", q, places(l));
      write_entry(file, l->type == RATTLE__SPHERICAL ? ", spin" : ", rate", v, rates(l));
    }
    fputs("},\n", file);
    q += places(l);
    v += rates(l);
  }
  fputs("  },\n", file);
}

/* The pose of the file, which keyframes that say less are completed by. */
static void pose_of_file(const rattle__mjcf *m, double *q) {
  for (int i = 1; i < m->links; i++) {
    const rattle__link *l = &m->link[i];
    if (places(l) == 1) q[0] = l->position;
    if (places(l) == 4) q[0] = 1;
    if (places(l) == 7) {
      memcpy(q, l->origin, sizeof l->origin);
      memcpy(q + 3, l->quat, sizeof l->quat);
    }
    q += places(l);
  }
}

static rattle_status read_key(FILE *file, const rattle__mjcf *m, const rattle__element *e,
                              const int count[2], rattle_error *error) {
  double *q = calloc((size_t)(count[0] + count[1] + 2), sizeof *q), *v = q + count[0] + 1;
  if (!q) return rattle__no_memory(error);
  struct rattle__mjcf_numbers qpos = {"qpos", q, 0, count[0], 0},
                              qvel = {"qvel", v, 0, count[1], 0};
  pose_of_file(m, q);
  rattle_status status = rattle__mjcf_read(m, e, NULL, &qpos, error);
  if (!status) status = rattle__mjcf_read(m, e, NULL, &qvel, error);
  if (!status) write_key(file, m, rattle__xml_value(e, "name"), q, v);
  free(q);
  return status;
}

static const char *const reader_of_starts =
    ("local keyframe = parameter(\"keyframe\", 0) -- 0: the pose of the file\n"
     "if keyframe ~= 0 and not starts[keyframe] then error(\"keyframe is 0 to \" .. #starts) end\n"
     "local function start(joint, entry, value)\n"
     "  local of = starts[keyframe] and starts[keyframe][joint]\n"
     "  return of and of[entry] or value\n"
     "end\n");

rattle_status rattle__mjcf_keys(FILE *file, const rattle__mjcf *m, int *keys, rattle_error *error) {
  int count[2] = {0, 0};
  rattle_status status = RATTLE_OK;
  for (int i = 1; i < m->links; i++) {
    count[0] += places(&m->link[i]);
    count[1] += rates(&m->link[i]);
  }
  *keys = 0;
  fputs("local starts = { -- keyframes: position and rate of joints, rattle run -P keyframe=1\n",
        file);
  for (rattle__element *e = m->document->root->first; e; e = e->next) {
    if (strcmp(e->name, "keyframe") != 0) continue;
    e->used = 1;
    for (rattle__element *k = rattle__xml_child(e, "key"); k && !status; k = rattle__xml_again(k)) {
      status = read_key(file, m, k, count, error);
      ++*keys;
    }
  }
  fputs("}\n", file);
  fputs(reader_of_starts, file);
  return status;
}

/* ---- equalities ---- */

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

/* b in the frame of a */
static rattle__pose seen(const rattle__pose *a, const rattle__pose *b) {
  rattle__pose back = {{0}, {a->quat[0], -a->quat[1], -a->quat[2], -a->quat[3]}}, difference = *b;
  for (int i = 0; i < 3; i++) difference.at[i] -= a->at[i];
  return rattle__pose_in(&back, &difference);
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

static rattle_status find_bodies(const rattle__mjcf *m, const rattle__element *e, int *a, int *b,
                                 rattle_error *error) {
  *a = -1;
  *b = 0;
  if (rattle__xml_value(e, "site1"))
    return rattle__xml_fail(m->document, e, error,
                            "<%s> of sites is not read: give body1, body2 and their point",
                            e->name);
  rattle_status status = find(m, e, "body1", 0, a, error);
  if (!status) status = find(m, e, "body2", 0, b, error);
  if (!status && *a == *b)
    status = rattle__xml_fail(m->document, e, error, "<%s> is between a body and itself", e->name);
  return status;
}

static rattle_status write_connect(FILE *file, const rattle__mjcf *m, const rattle__element *e,
                                   int number, rattle_error *error) {
  int a, b;
  rattle__pose anchor = {.quat = {1}};
  struct rattle__mjcf_numbers at = {"anchor", anchor.at, 3, 3, 0};
  rattle_status status = find_bodies(m, e, &a, &b, error);
  if (!status) status = rattle__mjcf_read(m, e, NULL, &at, error);
  if (!status && !at.count)
    status = rattle__xml_fail(m->document, e, error, "<connect> needs an anchor");
  if (status) return status;
  const rattle__pose of_a = stands(m, a), of_b = stands(m, b),
                     in_space = rattle__pose_in(&of_a, &anchor), second = seen(&of_b, &in_space);
  fputs("mech.spherical(", file);
  write_name(file, m, e, number);
  fputs(", ", file);
  write_point(file, m->link[a].name, anchor.at);
  fputs(", ", file);
  write_point(file, m->link[b].name, second.at);
  fputs(")\n", file);
  return RATTLE_OK;
}

static rattle_status write_weld(FILE *file, const rattle__mjcf *m, const rattle__element *e,
                                int number, rattle_error *error) {
  int a, b;
  double given[7] = {0};
  struct rattle__mjcf_numbers relpose = {"relpose", given, 7, 7, 0};
  rattle_status status = find_bodies(m, e, &a, &b, error);
  if (!status) status = rattle__mjcf_read(m, e, NULL, &relpose, error);
  if (status) return status;
  rattle__xml_value(e, "anchor"); /* wherever it is: what is welded moves as one */
  const rattle__pose of_a = stands(m, a), of_b = stands(m, b);
  rattle__pose pose = seen(&of_a, &of_b);
  if (relpose.count && rattle__quat_unit(given + 3)) {
    memcpy(pose.at, given, sizeof pose.at);
    memcpy(pose.quat, given + 3, sizeof pose.quat);
  }
  fputs("robot:weld(", file);
  write_name(file, m, e, number);
  fputs(", ", file);
  rattle__lua_write_string(file, m->link[a].name);
  fputs(", ", file);
  rattle__lua_write_string(file, m->link[b].name);
  fputs(", ", file);
  rattle__lua_write_list(file, pose.at, 3);
  fputs(", ", file);
  rattle__lua_write_list(file, pose.quat, 4);
  fputs(")\n", file);
  return RATTLE_OK;
}

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

static rattle_status write_joint_equality(FILE *file, const rattle__mjcf *m,
                                          const rattle__element *e, int number,
                                          rattle_error *error) {
  int one = -1, two = 0;
  double c[5] = {0, 1, 0, 0, 0};
  struct rattle__mjcf_numbers polynomial = {"polycoef", c, 1, 5, 0};
  rattle_status status = find(m, e, "joint1", 1, &one, error);
  if (!status) status = find(m, e, "joint2", 1, &two, error);
  if (!status) status = rattle__mjcf_read(m, e, NULL, &polynomial, error);
  if (status) return status;
  for (int i = 0; i < 2; i++)
    if ((i == 0 || two > 0) && places(&m->link[i ? two : one]) != 1)
      return rattle__xml_fail(m->document, e, error, "joint%d of <joint> neither turns nor slides",
                              i + 1);
  if (two > 0) {
    fputs("do\n  local x = ", file);
    write_distance_from(file, &m->link[two]);
    fputs("\n  ", file);
  }
  fputs("mech.hold(", file);
  write_name(file, m, e, number);
  fputs(", ", file);
  write_distance_from(file, &m->link[one]);
  fputs(" - (", file);
  rattle__lua_write_number(file, c[0]);
  for (int i = 1; i < 5 && two > 0; i++) {
    if (c[i] == 0) continue;
    fputs(" + ", file);
    rattle__lua_write_number(file, c[i]);
    fprintf(file, i == 1 ? "*x" : "*x^%d", i);
  }
  fputs(two > 0 ? "))\nend\n" : "))\n", file);
  return RATTLE_OK;
}

static rattle_status write_equality(FILE *file, const rattle__mjcf *m, rattle__element *e,
                                    int number, rattle_error *error) {
  static const struct {
    const char *name;
    rattle_status (*write)(FILE *, const rattle__mjcf *, const rattle__element *, int,
                           rattle_error *);
  } kinds[] = {{"connect", write_connect}, {"weld", write_weld}, {"joint", write_joint_equality}};
  for (int i = 0; i < 3; i++) {
    if (strcmp(kinds[i].name, e->name) != 0) continue;
    e->used = 1;
    return kinds[i].write(file, m, e, number, error);
  }
  return RATTLE_OK;
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
