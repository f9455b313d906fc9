/* The data that `plugin load` of LAMMPS and a plug-in exchange, from its documentation ("Writing
 * plugins"). For tests: Debian's liblammps-dev has no such header; if the source of LAMMPS is
 * given, its own is used. */
#ifndef RATTLE_TESTS_LAMMPSPLUGIN_H
#define RATTLE_TESTS_LAMMPSPLUGIN_H

extern "C" {
typedef void *lammpsplugin_factory1(void *lammps);
typedef void *lammpsplugin_factory2(void *lammps, int count, char **word);

typedef struct {
  const char *version, *style, *name, *info, *author;
  union {
    lammpsplugin_factory1 *v1;
    lammpsplugin_factory2 *v2;
  } creator;
  void *handle;
} lammpsplugin_t;

typedef void (*lammpsplugin_regfunc)(lammpsplugin_t *plugin, void *lammps);
}
#endif
