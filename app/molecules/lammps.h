#ifndef TOPOLOGY_LAMMPS_H
#define TOPOLOGY_LAMMPS_H
/* Data files of LAMMPS, and molecule templates, as read_data, molecule and fix shake read them.
 *
 * Source  The manual of LAMMPS (read_data, molecule, bond_style, angle_style, Howto triclinic), and
 *         what its release of 22 Jul 2025 does. */
#include "molecules/topology.h"

enum { LAMMPS_ATOMS, LAMMPS_BONDS, LAMMPS_ANGLES, LAMMPS_KINDS, LAMMPS_TYPES = 100000 };

typedef struct lammps_label {
  int kind;
  const char *name; /* in the text of the reader */
  long long type;
  struct lammps_label *next;
} lammps_label;

typedef struct lammps_file {
  topology *t;
  topology_reader *r;
  const topology_options *options;
  int molecule; /* 1: a template: no types of atoms, masses of atoms */
  int class2;   /* 1: it has a section that belongs to styles class2 alone */
  long long count[LAMMPS_KINDS], types[LAMMPS_KINDS];
  double low[3], high[3], tilt[3], vector[3][3];
  int boxed, general;                               /* edges along axes; three vectors */
  double *mass;                                     /* of types, from 1 on */
  double *rest[LAMMPS_KINDS], *stiff[LAMMPS_KINDS]; /* of types of bonds and angles; stiff -1: no
                                                       values were read */
  char *given[LAMMPS_KINDS];                        /* types with coefficients */
  int *source[LAMMPS_KINDS];                        /* of rest */
  char *kept;                                       /* types of angles */
  topology_list list[LAMMPS_KINDS];                 /* with their types as values */
  long long atoms, room; /* atoms that were read; numbers that there is room for */
  void *labels;          /* a tree (search.h) */
  lammps_label *label;
  int own_labels, section_masses; /* labels of a template; 1: there is a section Masses */
  long long lines;                /* that lammps_line has read */
  const char *section;
} lammps_file;

/* lammps_head.c */
rattle_status lammps_head(lammps_file *f);
/* The box of the topology; atoms are turned with one of three vectors. */
rattle_status lammps_box(lammps_file *f);

/* How a section is read, or why it is not used. */
enum {
  LAMMPS_UNUSED,
  LAMMPS_LABELS,
  LAMMPS_MASSES,
  LAMMPS_PLACED,
  LAMMPS_COORDS,
  LAMMPS_MEMBERS,
  LAMMPS_COEFFICIENTS
};
typedef struct lammps_section {
  const char *name;
  int read, kind;
  const char *why; /* NULL: it is used */
} lammps_section;

/* lammps_sections.c: the section that the words of the line name, exactly; NULL: none. */
const lammps_section *lammps_find_section(const topology_reader *r);
/* True if the line after that of the reader has no words. */
int lammps_blank_follows(const topology_reader *r);
/* The next line of the section; 0: the section has no more. */
int lammps_line(lammps_file *f);
rattle_status lammps_read_labels(lammps_file *f, int kind);
void lammps_labels_free(lammps_file *f);
/* A type in word `index`: its number or its label; a template, whose labels are those of the
 * simulation, names each at its first use. */
rattle_status lammps_type(lammps_file *f, int index, int kind, long long *type);
/* NULL: it has none. */
const char *lammps_label_of(const lammps_file *f, int kind, long long type);

/* lammps_atoms.c: the reader is behind the name of the section. */
rattle_status lammps_read_masses(lammps_file *f);
rattle_status lammps_read_atoms(lammps_file *f);
rattle_status lammps_read_places(lammps_file *f);

/* lammps_styles.c */
rattle_status lammps_read_coefficients(lammps_file *f, int kind);
#endif
