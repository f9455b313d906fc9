#ifndef TOPOLOGY_GROMACS_H
#define TOPOLOGY_GROMACS_H
/* Topologies of GROMACS, as grompp reads them with constraints = all-bonds.
 *
 * Source  The reference manual of GROMACS (file formats: topology), and what grompp 2022.5 does. */
#include "molecules/topology.h"

enum { GROMACS_DEPTH = 16, GROMACS_FILES = 256, GROMACS_CONDITIONS = 32, GROMACS_NAME = 64 };

typedef struct gromacs_define {
  const char *name;
  char *words[TOPOLOGY_WORDS], *text;
  int count;
  struct gromacs_define *before; /* of all that were made, in use or not */
} gromacs_define;

/* gromacs_lines.c: lines after the preprocessor. */
typedef struct gromacs_lines {
  topology *t;                                  /* for remarks */
  topology_reader *outer, inner[GROMACS_DEPTH]; /* the file, and those that are included */
  char *path[GROMACS_DEPTH];
  int depth, files;
  int taken[GROMACS_CONDITIONS], conditions; /* whether the lines of each #ifdef are read */
  const char *const *folders;                /* of included files; NULL-ended, may be NULL */
  gromacs_define *last;
  void *known; /* a tree of those in use, by name (search.h) */
  int defines;
} gromacs_lines;

/* NAME or NAME=TEXT is defined. */
rattle_status gromacs_define_word(gromacs_lines *lines, const char *word);
/* The reader that holds the next line; NULL: there are no more, or an error. */
topology_reader *gromacs_next(gromacs_lines *lines, rattle_status *status);
void gromacs_lines_free(gromacs_lines *lines);

/* --- types of atoms, bonds and angles: gromacs_types.c ---------------------------------------- */

typedef struct gromacs_type {
  char name[GROMACS_NAME], bonded[GROMACS_NAME];
  double mass;
  char letter; /* of particles: A atom, V or D site, S shell */
  struct gromacs_type *before;
} gromacs_type;

enum { GROMACS_BONDS, GROMACS_CONSTRAINTS, GROMACS_ANGLES, GROMACS_TABLES };

/* A row of bondtypes, constrainttypes or angletypes: names have no direction. */
typedef struct gromacs_row {
  int table, function;
  char name[3][GROMACS_NAME];
  topology_entry entry;
  struct gromacs_row *before;
} gromacs_row;

typedef struct gromacs_molecule {
  char name[GROMACS_NAME];
  const gromacs_type **type; /* of each atom */
  double *mass;
  char *hydrogen;
  topology_site **site; /* of each atom, or NULL */
  int atoms, room;
  topology_list bond, bend, spring; /* atoms from 0 on */
} gromacs_molecule;

typedef struct gromacs_file {
  topology *t;
  gromacs_lines lines;
  const topology_options *options;
  void *types, *rows; /* trees (search.h) */
  gromacs_type *last_type;
  gromacs_row *last_row;
  gromacs_molecule *molecule;
  int molecules;
  topology_list used;                /* number of the molecule, how many */
  int whole;                         /* 1: after [ intermolecular_interactions ] */
  const struct gromacs_section *now; /* whose lines are read; NULL: before the first */
  const char *title, *why;           /* of it, as "[ bonds ]"; why it is not used */
  long long passed;                  /* lines of it that are not used */
} gromacs_file;

/* Like strcmp, without case, "_" and "-". */
int gromacs_compare(const char *a, const char *b);
rattle_status gromacs_copy_name(const topology_reader *r, const char *word, char *name);
rattle_status gromacs_atom_type(gromacs_file *f, const topology_reader *r, int unused);
const gromacs_type *gromacs_find_type(const gromacs_file *f, const char *name);
rattle_status gromacs_row_read(gromacs_file *f, const topology_reader *r, int table);
const gromacs_row *gromacs_find_row(const gromacs_file *f, const gromacs_molecule *m, int table,
                                    int function, const int *atom);
/* The number of a function in word `at`, 1 where there is none. */
rattle_status gromacs_function(const topology_reader *r, int at, int *function);
/* The numbers after the function in word `at`; *entry without a source. */
rattle_status gromacs_numbers(gromacs_file *f, const topology_reader *r, int table, int function,
                              int at, topology_entry *entry);
void gromacs_types_free(gromacs_file *f);

/* --- what is inside of molecules: gromacs_molecule.c ------------------------------------------ */

rattle_status gromacs_begin_molecule(gromacs_file *f, const topology_reader *r, int unused);
/* They read lines of the last molecule; `table` where one is for several sections. */
rattle_status gromacs_atom(gromacs_file *f, const topology_reader *r, int unused);
rattle_status gromacs_bonded(gromacs_file *f, const topology_reader *r, int table);
rattle_status gromacs_settle(gromacs_file *f, const topology_reader *r, int unused);
void gromacs_molecule_free(gromacs_molecule *m);
/* gromacs_sites.c: a line of [ virtual_sites* ], 0 for n. */
rattle_status gromacs_site(gromacs_file *f, const topology_reader *r, int section);
/* Once all are read: which of them are whole. */
void gromacs_sites_end(gromacs_file *f);
#endif
