/* The plug-in as LAMMPS loads it. It needs no symbol of LAMMPS or MPI to be loaded, so that it can
 * say why fix rattle/any, which is beside it in librattle_lammps.so, is not for this LAMMPS:
 * another version, another MPI, other integers. Asks by LAMMPS's C interface alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* the fix, in the folder of this */
#define FIX "librattle_lammps.so"

#define VISIBLE __attribute__((visibility("default")))

typedef void *creator(void *lammps, int count, char **word);

static char said[2048];

static void *symbol(const char *name) {
  return dlsym(RTLD_DEFAULT, name);
}

/* That of the process, as RATTLE_LAMMPS_MPI has it; NULL: unknown. */
static const char *kind_of_mpi(char *text) {
  int (*ask)(char *, int *) = NULL;
  int length;
  *(void **)&ask = symbol("MPI_Get_library_version");
  if (!ask || ask(text, &length)) return NULL;
  if (strstr(text, "Open MPI")) return "Open MPI";
  if (strstr(text, "MPICH") || strstr(text, "Intel") || strstr(text, "MVAPICH")) return "MPICH";
  return strstr(text, "STUBS") ? "STUBS" : NULL;
}

static const char *refuse(const char *what, const char *here) {
  snprintf(
      said, sizeof said,
      "fix rattle/any is not loaded: it is built for %s, and this is %.200s: build it for this "
      "LAMMPS (docs/lammps.md of librattle)",
      what, here);
  return said;
}

/* NULL, or why the fix is not for this LAMMPS, as far as can be said before it is loaded. */
static const char *differ(void *lammps) {
  int (*version)(void *) = NULL;
  char built[64], here[8192] = ""; /* MPICH's longest text */
  *(void **)&version = symbol("lammps_version");
  if (!version || !symbol("lammps_extract_setting"))
    return "fix rattle/any is not loaded: this LAMMPS does not export its C interface; build it as "
           "a "
           "shared library (BUILD_SHARED_LIBS)";
  const int number = version(lammps);
  if (number != RATTLE_LAMMPS_VERSION) {
    snprintf(built, sizeof built, "LAMMPS %d", RATTLE_LAMMPS_VERSION);
    snprintf(here, sizeof here, "LAMMPS %d", number);
    return refuse(built, here);
  }
  const char *mpi = kind_of_mpi(here);
  if (!mpi || !*RATTLE_LAMMPS_MPI || !strcmp(mpi, RATTLE_LAMMPS_MPI)) return NULL;
  here[strcspn(here, "\n")] = 0;
  return refuse(RATTLE_LAMMPS_MPI, here);
}

static int setting(void *lammps, const char *name) {
  int (*ask)(void *, const char *) = NULL;
  *(void **)&ask = symbol("lammps_extract_setting");
  return ask ? ask(lammps, name) : 0;
}

/* NULL and the library of the fix, or why there is none for this LAMMPS. */
static const char *find(void *lammps, void **library) {
  const char *wrong = differ(lammps);
  if (wrong) return wrong;
  char path[4096];
  Dl_info self;
  if (!dladdr(said, &self) || strlen(self.dli_fname) + sizeof FIX >= sizeof path)
    return "fix rattle/any is not loaded: the folder of its plug-in cannot be found";
  strcpy(path, self.dli_fname);
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash + 1 : path, FIX);
  *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!*library) {
    snprintf(said, sizeof said,
             "fix rattle/any is not loaded: %.1500s; it needs the librattle, and a LAMMPS with the "
             "integers (LAMMPS_BIGBIG), that it was built with",
             dlerror());
    return said;
  }
  const int *sizes = dlsym(*library, "rattle_lammps_sizes");
  static const char *const kinds[] = {"bigint", "tagint", "imageint"};
  for (int k = 0; k < 3; k++)
    if (setting(lammps, kinds[k]) != sizes[k])
      return refuse("integers of other sizes", "a LAMMPS with its own");
  return NULL;
}

/* What a plug-in is to LAMMPS, by its manual ("Writing plugins"), the same since 2021. No version:
 * it is compared above. */
struct plugin {
  const char *version, *style, *name, *info, *author;
  creator *create;
  void *handle;
};

/* Called by `plugin load`, and for each *plugin.so in a folder of LAMMPS_PLUGIN_PATH. A LAMMPS that
 * is not the fix's goes on without it. */
VISIBLE void lammpsplugin_init(void *lammps, void *handle, void *add) {
  struct plugin plugin = {.style = "fix",
                          .name = "rattle/any",
                          .info = "bond lengths and angles of any topology held by RATTLE",
                          .author = "The librattle authors",
                          .handle = handle};
  void *library, (*known)(struct plugin *, void *) = NULL;
  const char *wrong = find(lammps, &library);
  if (wrong) {
    if (setting(lammps, "world_rank") <= 0) printf("WARNING: %s\n", wrong), fflush(stdout);
    return;
  }
  *(void **)&plugin.create = dlsym(library, "rattle_lammps_create");
  *(void **)&known = add;
  known(&plugin, lammps);
}

/* The same for a LAMMPS without plug-ins. lammps: the pointer that lammps_open returns, or that
 * Python's SELF holds. Returns NULL, or a sentence. */
VISIBLE const char *rattle_lammps_register(void *lammps) {
  void *library, (*enter)(void *) = NULL;
  const char *wrong = find(lammps, &library);
  if (wrong) return wrong;
  *(void **)&enter = dlsym(library, "rattle_lammps_enter");
  enter(lammps);
  return NULL;
}
