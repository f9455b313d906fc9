/* Keyframes of MJCF as starts. */
#include <stdlib.h>
#include <string.h>

#include "files/robots/mjcf.h"
#include "ground/support/error.h"

int rattle__mjcf_places(const rattle__link *l) {
  static const int count[] = {
      [RATTLE__FIXED] = 0,  [RATTLE__REVOLUTE] = 1,  [RATTLE__PRISMATIC] = 1,
      [RATTLE__PLANAR] = 0, [RATTLE__SPHERICAL] = 4, [RATTLE__FREE] = 7};
  return count[l->type];
}

static int rates(const rattle__link *l) {
  const int count = rattle__mjcf_places(l);
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
    if (!rattle__mjcf_places(l)) continue;
    fputs("    [", file);
    rattle__lua_write_string(file, l->joint);
    fputs("] = {", file);
    if (l->type == RATTLE__FREE) {
      write_free(file, q, v);
    } else {
      write_entry(file, l->type == RATTLE__SPHERICAL ? "rotation" : "position", q,
                  rattle__mjcf_places(l));
      write_entry(file, l->type == RATTLE__SPHERICAL ? ", spin" : ", rate", v, rates(l));
    }
    fputs("},\n", file);
    q += rattle__mjcf_places(l);
    v += rates(l);
  }
  fputs("  },\n", file);
}

/* The pose of the file, which keyframes that say less are completed by. */
static void pose_of_file(const rattle__mjcf *m, double *q) {
  for (int i = 1; i < m->links; i++) {
    const rattle__link *l = &m->link[i];
    if (rattle__mjcf_places(l) == 1) q[0] = l->position;
    if (rattle__mjcf_places(l) == 4) q[0] = 1;
    if (rattle__mjcf_places(l) == 7) {
      memcpy(q, l->origin, sizeof l->origin);
      memcpy(q + 3, l->quat, sizeof l->quat);
    }
    q += rattle__mjcf_places(l);
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
    count[0] += rattle__mjcf_places(&m->link[i]);
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
