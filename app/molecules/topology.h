#ifndef TOPOLOGY_H
#define TOPOLOGY_H
/* Bonds as files describe them, for `rattle bonds`: in a format of its own, data files of LAMMPS,
 * topologies of GROMACS with their gro.
 *
 * Files come from anybody: every number is checked before it is used, and what is not understood is
 * refused with a sentence that names the line. Atoms have the numbers of the file, from 1 on; atom
 * 0 is none, so that errors of the library name atoms as the file does. */
#include "rattle/sites.h"
#include "words/error.h"

/* A length or an angle in radians; a force constant K of E = K/2 (value - rest)^2, 0: not known,
 * INFINITY: a constraint by its nature; number of its source, of those of the topology. */
typedef struct topology_entry {
  double value, constant;
  int source;
} topology_entry;

/* Atoms `of` each entry. */
typedef struct topology_list {
  int of, *atom, *source;
  double *value, *constant;
  long long count, room;
} topology_list;

/* A place that lengths come from: equal ones of one section share it. */
typedef struct topology_source {
  char *what, *path; /* "[ bondtypes ]", "positions", ...; of the first line that says so */
  long long line;    /* 0: no line does */
  double key;        /* those of one `what` differ in it */
  int number;        /* of all sources, from 0 on */
} topology_source;

/* A remark about a file, or a part of it that is not used. */
typedef struct topology_note {
  char *text, *path; /* of the first line that it is about */
  const char *why;   /* of a part that is not used, which `text` names; NULL: a remark */
  long long line, lines;
} topology_note;

/* A constructed site of a kind of molecule, as a line of the file says it. */
typedef struct topology_site {
  const rattle_site_kind *kind;
  const char *path, *name; /* of the file and of the molecule */
  long long line;
  double count;               /* in all molecules */
  int molecule;               /* number of its kind */
  int atom, parents, *parent; /* of the molecule, from 1 on */
  int numbers;                /* 0 where the kind has some: the file says none */
  int whole; /* 1: it can be written: it has its numbers, and parents with mass or that are whole;
                -1: it cannot, or two lines place it */
  struct topology_site *after; /* while this is decided */
  double *number;              /* of the kind, in the unit of lengths and radians */
  struct topology_site *next;
} topology_site;

typedef struct topology {
  const char *format;
  long long atoms;            /* the largest number of one */
  double *mass, *place;       /* [atoms + 1], [3 (atoms + 1)]; mass 0: takes no part, or there is no
                                 atom of that number; place NULL: the file has no positions */
  char *hydrogen;             /* [atoms + 1] by names; NULL: the format has none, masses tell */
  long long missing;          /* numbers without an atom */
  topology_list bond, angle;  /* kept */
  topology_list spring, bend; /* not kept, with their force constants */
  int boxed;
  rattle_bonds_box box;
  const char *time; /* name of the unit of time, and what (mass length^2 / energy)^(1/2) is in it */
  double unit;
  const char *style;       /* of units, as LAMMPS names them; NULL: none of those */
  double angstrom, dalton; /* the units of length and mass in Angstrom and u; 0: not known */
  topology_source **source;
  void *known; /* a tree of the sources (search.h) */
  topology_note *note;
  int sources, notes;
  topology_site *site, *last_site; /* in the order of the file */
  topology_site **site_of;         /* [atoms + 1] of each atom, or NULL; NULL: there are no sites */
} topology;

typedef struct topology_options {
  const char *positions; /* a gro file; NULL: none */
  const char *angles;    /* types of angles of a data file that are kept, as "1,3"; NULL: none */
  const char *units;     /* "real", "metal", "lj", ... of a data file; NULL: what its first line
                            says, or real; of rattle-bonds; NULL: none */
  int hydrogens;         /* 1: of bonds with force constants keep those with hydrogen alone */
  const char *const *defines, *const *folders; /* of a topology of GROMACS: NAME or NAME=TEXT, and
                                                  where included files are; NULL-ended or NULL */
  const char *rule;   /* by which masses are repartitioned (rattle_bonds_repartition); NULL: none */
  double repartition; /* its number */
  long long most_atoms; /* more are refused; 0: 20 million */
} topology_options;

/* load.c: reads the file; the format is seen from its beginning. *t is zeroed first; topology_free
 * all the same after a failure. */
rattle_status topology_load(topology *t, const char *path, const topology_options *options,
                            rattle_error *error);
/* Also load.c: options that choose bonds and masses, and what must hold of all topologies, of one
 * that was made otherwise; the reader has no line. */
struct topology_reader;
rattle_status topology_finish(topology *t, const struct topology_reader *reader,
                              const topology_options *options);
/* topology.c */
void topology_free(topology *t);
/* Hydrogen: a name that begins with H or h where the format has names, else a mass of 0.9 to
 * 1.2. */
int topology_hydrogen(const topology *t, int atom);
/* The bonds as the library takes them, with atom 0. */
rattle_bonds_topology topology_of(const topology *t);
/* x_i - x_j of nearest images, at positions x [atoms + 1][3]. */
void topology_difference(const topology *t, const double *x, int i, int j, double r[3]);

/* --- for the formats -------------------------------------------------------------------------- */

enum { TOPOLOGY_WORDS = 32 };
typedef struct topology_reader {
  const char *path; /* for messages */
  char *text, *at;  /* the whole file, which ends with 0 */
  size_t size;
  char comment;         /* begins one */
  int goes_on;          /* 1: a line whose last character but blanks is a backslash goes on in
                           the next */
  long long line, more; /* number of the line, and how many it goes on */
  char *remark;         /* the comment of the line, without its mark, "" if none */
  char *word[TOPOLOGY_WORDS];
  int words;
  rattle_error *error;
} topology_reader;

/* reader.c: the file in memory, at most 4 GB of text. */
rattle_status topology_open(topology_reader *reader, const char *path, char comment,
                            rattle_error *error);
void topology_close(topology_reader *reader);
/* The next line as it is; NULL: there are no more. */
char *topology_raw_line(topology_reader *reader);
/* Exact for a line, 180 degrees. */
double topology_radians(double degrees);
/* The next line that has words; 0: there are no more. A line of more words than there is room for
 * keeps the first. */
int topology_line(topology_reader *reader);
/* BAD_MODEL with the path and the line. */
rattle_status topology_wrong(const topology_reader *reader, const char *format, ...)
    TEXT_FORMAT(2, 3);
/* The same for a file in another format, which its beginning may tell. */
rattle_status topology_other(const topology_reader *reader);
/* Word number `index` as a number; a failure names `what` it should be. */
rattle_status topology_number(const topology_reader *reader, int index, const char *what,
                              double *value);
rattle_status topology_whole(const topology_reader *reader, int index, const char *what,
                             long long least, long long most, long long *value);
/* Refuses what follows the first `words` words of the line. */
rattle_status topology_ends(const topology_reader *reader, int words);
/* origin.c: the source of that name and key, which is made if there is none; -1: no memory. r NULL:
 * no line says so. */
int topology_source_of(topology *t, const topology_reader *r, const char *what, double key);
/* A remark about the line of the reader (NULL: about none); equal ones count their lines. */
rattle_status topology_remark(topology *t, const topology_reader *r, const char *format, ...)
    TEXT_FORMAT(3, 4);
/* A section, or another part, is not used, and why that matters or does not; `lines` of it. */
rattle_status topology_unused(topology *t, const topology_reader *r, const char *part,
                              const char *why, long long lines);
void topology_origin_free(topology *t);
/* sites.c: a copy of *site, with room for its parents and numbers, at the end of the list; NULL: no
 * memory. */
topology_site *topology_site_add(topology *t, const topology_reader *r, const topology_site *site,
                                 const char *molecule);
void topology_sites_free(topology *t);
/* units.c: those of a style of LAMMPS. */
rattle_status topology_units(topology *t, const topology_reader *r, const char *style);
/* lists */
rattle_status topology_add(topology_list *list, const int *atom, topology_entry entry,
                           rattle_error *error);
/* Entry k, which there is. */
void topology_put(topology_list *list, long long k, const int *atom, topology_entry entry);
topology_entry topology_entry_of(const topology_list *list, long long k);
void topology_list_free(topology_list *list);
/* Masses, and places where `placed`, of that many atoms. */
rattle_status topology_room(topology *t, long long atoms, int placed,
                            const topology_options *options, const topology_reader *reader);

/* repeats.c: a pair that is listed twice with one length is one bond; with two it is refused. */
rattle_status topology_merge(topology *t, const topology_reader *r);

/* the formats, each in a file of its name: the reader is at the beginning */
rattle_status topology_read_plain(topology *t, topology_reader *reader,
                                  const topology_options *options);
rattle_status topology_read_lammps(topology *t, topology_reader *reader,
                                   const topology_options *options);
rattle_status topology_read_gromacs(topology *t, topology_reader *reader,
                                    const topology_options *options);
rattle_status topology_read_gro(topology *t, const char *path, rattle_error *error);
#endif
