/* Work of the text of spheres_kernel.h. Plain C without includes: the text is handed to a compiler
 * too. */
#ifndef RATTLE__SPHERES_STATE
#define RATTLE__SPHERES_STATE
typedef struct rattle__turning {
  const void *self;                      /* for the lists of the library */
  double *sum, *cosine, *stretch, *back; /* scratch, one of each sphere */
  double g, psi;                         /* the largest |g| and |psi| since they were last taken */
  double *V_q, potential; /* of spheres_run.h: at the point where steps begin and end */
} rattle__turning;
#endif
