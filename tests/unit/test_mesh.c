/* Meshes: STL and OBJ give the same triangles, masses are those of the solid, and what encloses
 * nothing is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "files/robots/mesh.h"

/* An angle bracket: the outline of an L, (0, 0) (4, 0) (4, 1) (1, 1) (1, 4) (0, 4), from z = 0 to 2.
 * It is two bricks: 4 x 1 x 2 about (2, 0.5, 1) and 1 x 3 x 2 about (0.5, 2.5, 1). */
static const double outline[6][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
static const struct {
  double size[3], at[3];
} brick[2] = {{{4, 1, 2}, {2, 0.5, 1}}, {{1, 3, 2}, {0.5, 2.5, 1}}};

static void add(rattle__mesh *mesh, uint32_t a, uint32_t b, uint32_t c) {
  assert_int_equal(rattle__mesh_add_face(mesh, (uint32_t[3]){a, b, c}, NULL), RATTLE_OK);
}

static void make(rattle__mesh *mesh) {
  *mesh = (rattle__mesh){0};
  for (int k = 0; k < 12; k++) {
    const double at[3] = {outline[k % 6][0], outline[k % 6][1], k < 6 ? 0 : 2};
    assert_int_equal(rattle__mesh_add_vertex(mesh, at, NULL), RATTLE_OK);
  }
  for (uint32_t k = 1; k < 5; k++) {
    add(mesh, 0, k + 1, k);
    add(mesh, 6, 6 + k, 7 + k);
  }
  for (uint32_t k = 0; k < 6; k++) {
    const uint32_t next = (k + 1) % 6;
    add(mesh, k, next, 6 + next);
    add(mesh, k, 6 + next, 6 + k);
  }
}

static void expected(rattle__mesh_mass *mass) {
  *mass = (rattle__mesh_mass){0};
  double m[2];
  for (int b = 0; b < 2; b++) {
    m[b] = brick[b].size[0] * brick[b].size[1] * brick[b].size[2];
    mass->mass += m[b];
  }
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < 3; i++) mass->centre[i] += m[b] * brick[b].at[i] / mass->mass;
  for (int b = 0; b < 2; b++) {
    double r[3], square = 0, sizes = 0;
    for (int i = 0; i < 3; i++) {
      r[i] = brick[b].at[i] - mass->centre[i];
      square += r[i] * r[i];
      sizes += brick[b].size[i] * brick[b].size[i];
    }
    for (int i = 0; i < 3; i++)
      mass->inertia[i] +=
          m[b] * ((sizes - brick[b].size[i] * brick[b].size[i]) / 12 + square - r[i] * r[i]);
    mass->inertia[3] -= m[b] * r[0] * r[1];
    mass->inertia[4] -= m[b] * r[0] * r[2];
    mass->inertia[5] -= m[b] * r[1] * r[2];
  }
}

static void same(const rattle__mesh_mass *a, const rattle__mesh_mass *b) {
  assert_true(fabs(a->mass - b->mass) < 1e-14 * b->mass);
  for (int i = 0; i < 3; i++) assert_true(fabs(a->centre[i] - b->centre[i]) < 1e-14);
  for (int i = 0; i < 6; i++) assert_true(fabs(a->inertia[i] - b->inertia[i]) < 1e-13);
}

/* The exact rule, with the origin anywhere: `far` is the place of the mesh. */
static void test_solid(void **state) {
  (void)state;
  for (int far = 0; far < 2; far++) {
    rattle__mesh mesh;
    rattle__mesh_mass mass, right;
    char why[200];
    make(&mesh);
    for (size_t v = 0; v < mesh.vertices; v++) mesh.vertex[v][0] += 512 * far;
    expected(&right);
    assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_EXACT, &mass, why, NULL), RATTLE_OK);
    assert_string_equal(why, "");
    mass.centre[0] -= 512 * far;
    if (far)
      mass.centre[0] = fabs(mass.centre[0] - right.centre[0]) < 512e-15 ? right.centre[0] : 0;
    same(&mass, &right);
    rattle__mesh_release(&mesh);
  }
}

/* The surface, whose tensor is that of its flat parts: of the two ends and six sides. */
static void test_shell(void **state) {
  (void)state;
  rattle__mesh mesh;
  rattle__mesh_mass mass;
  char why[200];
  make(&mesh);
  assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_SHELL, &mass, why, NULL), RATTLE_OK);
  assert_true(fabs(mass.mass - 46) < 1e-13); /* 2*7 + 2*16 */
  /* x dA: of the ends 2*(4*2 + 3/2), of the sides 8*2 + 2*4 + 6*5/2 + 6*1 + 2/2 + 8*0 */
  assert_true(fabs(mass.centre[0] - 65.0 / 46) < 1e-14);
  assert_true(fabs(mass.centre[2] - 1) < 1e-14);
  /* x^2 dA, of the ends and the sides in turn */
  const double x2 = 2 * (64.0 / 3 + 1) + 2 * 64.0 / 3 + 2 * 16 + 2 * 21 + 6 + 2.0 / 3;
  const double square = x2 - 46 * mass.centre[0] * mass.centre[0];
  assert_true(fabs((mass.inertia[1] + mass.inertia[2] - mass.inertia[0]) / 2 - square) < 1e-12);
  rattle__mesh_release(&mesh);
}

/* The sum of all tetrahedra counts what lies outside of an L: numbers of mujoco 4.0.0. */
static void test_overcounted(void **state) {
  (void)state;
  rattle__mesh mesh;
  rattle__mesh_mass mass, turned;
  char why[200];
  make(&mesh);
  assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_OVERCOUNTED, &mass, why, NULL),
                   RATTLE_OK);
  assert_true(fabs(mass.mass - 17.32859951933581) < 1e-13);
  assert_true(fabs(mass.centre[0] - 1.41607494) < 1e-8);
  for (size_t f = 0; f < mesh.faces; f += 3) { /* whichever way faces are turned */
    const uint32_t corner = mesh.face[f][0];
    mesh.face[f][0] = mesh.face[f][1];
    mesh.face[f][1] = corner;
  }
  assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_OVERCOUNTED, &turned, why, NULL),
                   RATTLE_OK);
  assert_string_equal(why, "");
  same(&turned, &mass);
  assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_EXACT, &turned, why, NULL), RATTLE_OK);
  assert_non_null(strstr(why, "has faces that are turned inward at"));
  rattle__mesh_release(&mesh);
}

/* The hull of the bracket is the prism on its outline without the corner; that of points on a
 * lattice is the cube, many of whose points are in planes and on lines; of a plane there is none. */
static void test_hull(void **state) {
  (void)state;
  rattle__mesh mesh, cube = {0};
  rattle__mesh_mass mass;
  char why[200];
  make(&mesh);
  assert_int_equal(rattle__mesh_make_hull(&mesh, NULL), RATTLE_OK);
  assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_EXACT, &mass, why, NULL), RATTLE_OK);
  assert_string_equal(why, "");
  assert_true(fabs(mass.mass - 2 * (16 - 4.5)) < 1e-13);
  assert_true(fabs(mass.centre[0] - (16 * 2 - 4.5 * 3) / 11.5) < 1e-14);
  rattle__mesh_release(&mesh);
  for (int k = 0; k < 7 * 7 * 7; k++) {
    const double at[3] = {k % 7 / 6.0, k / 7 % 7 / 6.0, k / 49 / 6.0};
    assert_int_equal(rattle__mesh_add_vertex(&cube, at, NULL), RATTLE_OK);
  }
  assert_int_equal(rattle__mesh_make_hull(&cube, NULL), RATTLE_OK);
  assert_int_equal(rattle__mesh_weigh(&cube, RATTLE__MESH_EXACT, &mass, why, NULL), RATTLE_OK);
  assert_string_equal(why, "");
  assert_true(fabs(mass.mass - 1) < 1e-14 && fabs(mass.inertia[0] - 1.0 / 6) < 1e-14);
  for (size_t v = 0; v < cube.vertices; v++) cube.vertex[v][2] = 0.5 * cube.vertex[v][0];
  assert_int_equal(rattle__mesh_make_hull(&cube, NULL), RATTLE_OK);
  assert_int_equal(cube.faces, 0);
  rattle__mesh_release(&cube);
}

/* A round hull, with poles that are many points within round-off. */
static void test_round_hull(void **state) {
  (void)state;
  enum { TURNS = 60, RINGS = 31 };
  static const double pi = 3.14159265358979323846;
  rattle__mesh mesh = {0};
  rattle__mesh_mass mass;
  char why[200];
  double volume = 0;
  for (int r = 0; r < RINGS; r++)
    for (int t = 0; t < TURNS; t++) {
      const double b = pi * r / (RINGS - 1) - pi / 2, a = 2 * pi * t / TURNS;
      const double at[3] = {cos(a) * cos(b), sin(a) * cos(b), sin(b)};
      assert_int_equal(rattle__mesh_add_vertex(&mesh, at, NULL), RATTLE_OK);
    }
  /* frusta of pyramids between rings of circumradius c, d and polygon area k c^2 */
  const double k = TURNS / 2.0 * sin(2 * pi / TURNS);
  for (int r = 0; r + 1 < RINGS; r++) {
    const double b = pi * r / (RINGS - 1) - pi / 2, e = b + pi / (RINGS - 1), c = cos(b),
                 d = cos(e);
    volume += k * (c * c + c * d + d * d) / 3 * (sin(e) - sin(b));
  }
  assert_int_equal(rattle__mesh_make_hull(&mesh, NULL), RATTLE_OK);
  assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_EXACT, &mass, why, NULL), RATTLE_OK);
  assert_string_equal(why, "");
  assert_true(fabs(mass.mass - volume) < 1e-12);
  rattle__mesh_release(&mesh);
}

static void test_open(void **state) {
  (void)state;
  rattle__mesh mesh;
  rattle__mesh_mass mass;
  char why[200];
  make(&mesh);
  mesh.faces--; /* of the side from (0, 4) to (0, 0) */
  for (int kind = RATTLE__MESH_EXACT; kind <= RATTLE__MESH_OVERCOUNTED; kind++) {
    assert_int_equal(rattle__mesh_weigh(&mesh, kind, &mass, why, NULL), RATTLE_OK);
    assert_non_null(strstr(why, "is open at 3 edges, the first from (0, 4, 0) to (0, 0, 2)"));
  }
  mesh.faces++;
  for (size_t f = 0; f < mesh.faces; f++) {
    const uint32_t corner = mesh.face[f][0];
    mesh.face[f][0] = mesh.face[f][1];
    mesh.face[f][1] = corner;
  }
  assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_EXACT, &mass, why, NULL), RATTLE_OK);
  assert_string_equal(why, "has its faces turned inward");
  mesh.faces = 0;
  assert_int_equal(rattle__mesh_weigh(&mesh, RATTLE__MESH_EXACT, &mass, why, NULL), RATTLE_OK);
  assert_string_equal(why, "encloses nothing");
  rattle__mesh_release(&mesh);
}

/* ---- files ---- */

static void put(unsigned char **at, uint32_t bits) {
  for (int i = 0; i < 4; i++) *(*at)++ = (unsigned char)(bits >> 8 * i);
}

static char *binary_stl(const rattle__mesh *mesh, size_t *length) {
  *length = 84 + 50 * mesh->faces;
  unsigned char *bytes = calloc(1, *length + 1), *at = bytes + 80;
  assert_non_null(bytes);
  memcpy(bytes, "solid", 5); /* as some programs write, which does not make it a text */
  put(&at, (uint32_t)mesh->faces);
  for (size_t f = 0; f < mesh->faces; f++) {
    at += 12;
    for (int k = 0; k < 9; k++) {
      const float x = (float)mesh->vertex[mesh->face[f][k / 3]][k % 3];
      uint32_t bits;
      memcpy(&bits, &x, sizeof bits);
      put(&at, bits);
    }
    at += 2;
  }
  return (char *)bytes;
}

static char *text_of(const rattle__mesh *mesh, size_t *length, int stl) {
  char *text = NULL;
  FILE *file = open_memstream(&text, length);
  assert_non_null(file);
  fputs(stl ? "solid bracket\r\n" : "# a bracket\nmtllib none.mtl\n", file);
  for (size_t v = 0; v < mesh->vertices && !stl; v++)
    fprintf(file, "v %g %g\t%g\n", mesh->vertex[v][0], mesh->vertex[v][1], mesh->vertex[v][2]);
  for (size_t f = 0; f < mesh->faces; f++) {
    const uint32_t *c = mesh->face[f];
    if (!stl) {
      fprintf(file, "f %d/7/1 %u//2 %u\n", (int)c[0] - (int)mesh->vertices, c[1] + 1, c[2] + 1);
      continue;
    }
    fputs("facet normal 0 0 0\n outer loop\n", file);
    for (int k = 0; k < 3; k++)
      fprintf(file, "  vertex %g %g %ge0\n", mesh->vertex[c[k]][0], mesh->vertex[c[k]][1],
              mesh->vertex[c[k]][2]);
    fputs(" endloop\nendfacet\n", file);
  }
  fputs(stl ? "endsolid" : "", file);
  assert_int_equal(fclose(file), 0);
  return text;
}

static void test_files(void **state) {
  (void)state;
  static const char *const path[] = {"a/bracket.stl", "bracket.STL", "bracket.obj"};
  rattle__mesh mesh;
  rattle__mesh_mass right;
  make(&mesh);
  expected(&right);
  for (int i = 0; i < 3; i++) {
    size_t length = 0;
    char *bytes = i ? text_of(&mesh, &length, i == 1) : binary_stl(&mesh, &length), why[200];
    rattle__mesh read;
    rattle__mesh_mass mass;
    rattle_error error = {0};
    assert_int_equal(rattle__mesh_read(&read, bytes, length, path[i], &error), RATTLE_OK);
    assert_int_equal(read.faces, mesh.faces);
    assert_int_equal(rattle__mesh_weigh(&read, RATTLE__MESH_EXACT, &mass, why, NULL), RATTLE_OK);
    assert_string_equal(why, "");
    same(&mass, &right);
    rattle__mesh_release(&read);
    /* a file that is cut has a sentence, or ends with a whole triangle */
    for (size_t part = 0; part < length; part += 7) {
      char *cut = malloc(part + 1);
      assert_non_null(cut);
      memcpy(cut, bytes, part);
      cut[part] = 0;
      error = (rattle_error){0};
      if (rattle__mesh_read(&read, cut, part, path[i], &error))
        assert_true(error.message[0]);
      else
        assert_true(read.faces > 0);
      rattle__mesh_release(&read);
      free(cut);
    }
    free(bytes);
  }
  rattle__mesh_release(&mesh);
}

/* A polygon of four corners that are in no plane is split along its shorter diagonal. */
static void test_polygons(void **state) {
  (void)state;
  const char *text = "v 0 0 0\nv 3 0 0\nv 3 1 1\nv 2 1 0\nf 1 2 3 4\nf 1 2 3 4 1\n";
  rattle__mesh mesh;
  assert_int_equal(rattle__mesh_read(&mesh, text, strlen(text), "q.obj", NULL), RATTLE_OK);
  assert_int_equal(mesh.faces, 5);
  const uint32_t faces[5][3] = {{0, 1, 3}, {1, 2, 3}, {0, 1, 2}, {0, 2, 3}, {0, 3, 0}};
  assert_memory_equal(mesh.face, faces, sizeof faces);
  rattle__mesh_release(&mesh);
}

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *path, *text, *sentence;
  } mistakes[] = {
      {"a.obj", "v 1 2\n", "a.obj:1: expected three finite numbers, found \"1 2\""},
      {"a.obj", "v 1 2 nan\n", "a.obj:1: expected three finite numbers, found \"1 2 nan\""},
      {"a.obj", "v 1 2\n3\n", "a.obj:1: expected three finite numbers, found \"1 2\""},
      {"a.obj", "v 1 2 3\n\nf 1 1 2\n",
       "a.obj:3: expected the number of a vertex before it, found "
       "\"2\""},
      {"a.obj", "v 1 2 3\nf 1 -2 1\n",
       "a.obj:2: expected the number of a vertex before it, found "
       "\"-2 1\""},
      {"a.obj", "v 1 2 3\nf 1 1\n", "a.obj:2: a face has fewer than three corners, found \"\""},
      {"a.obj", "v 1 2 3\n", "\"a.obj\" has no triangles"},
      {"a.stl", "solid\nvertex 1 2 3\nendloop\n",
       "a.stl:3: a facet has fewer than three corners, "
       "found \"\""},
      {"a.stl", "solid\nface 1\n", "a.stl:2: expected a facet in STL, found \"face 1\""},
      {"a.stl", "solid\nvertex 1 2 3\n", "a.stl:2: a facet does not end, found \"\""},
      {"a.stl", "solid\n", "\"a.stl\" has no triangles"},
      {"a.stl", "",
       "\"a.stl\" is not STL: it does not begin with \"solid\", and its length is not "
       "that of the triangles that it counts"},
      {"a.dae", "",
       "\"a.dae\" is no mesh that is read: expected a file in STL or OBJ, with the "
       "ending .stl or .obj"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    rattle__mesh mesh;
    rattle_error error = {0};
    assert_int_equal(rattle__mesh_read(&mesh, mistakes[i].text, strlen(mistakes[i].text),
                                       mistakes[i].path, &error),
                     RATTLE_BAD_MODEL);
    assert_string_equal(error.message, mistakes[i].sentence);
    rattle__mesh_release(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solid),       cmocka_unit_test(test_shell),
      cmocka_unit_test(test_overcounted), cmocka_unit_test(test_hull),
      cmocka_unit_test(test_round_hull),  cmocka_unit_test(test_open),
      cmocka_unit_test(test_files),       cmocka_unit_test(test_polygons),
      cmocka_unit_test(test_mistakes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
