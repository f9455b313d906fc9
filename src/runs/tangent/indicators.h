#ifndef RATTLE__INDICATORS_H
#define RATTLE__INDICATORS_H
/* Indicators of chaos from two tangent vectors that go along with a trajectory.
 *
 * MEGNO  Y = 2/t int s dln|w|, its mean over time: 2 for quasiperiodic motion, lambda t/2 for chaos
 *        (P. M. Cincotta, C. Simo, Astron. Astrophys. Suppl. 147 (2000) 205)
 * SALI   min |a +- b| of two unit vectors: 0 exponentially for chaos (Ch. Skokos, J. Phys. A 34
 *        (2001) 10029) */
typedef struct rattle__indicators {
  int nz;
  double *w;                    /* the two vectors [2][2n]; the first one is that of MEGNO */
  double weighted, mean, grown; /* sums of MEGNO; ln of the growth of the first vector */
} rattle__indicators;

/* Steps between two looks at the vectors. */
enum { RATTLE__INDICATORS_EACH = 10 };

/* Two vectors, in w, with parts along each one of the basis [d][2n] of the tangent space. */
void rattle__indicators_begin(rattle__indicators *s, int nz, double *w, int d, const double *basis);
/* After a stretch of `length` that ends `time` after the start: the vectors have length 1 again. */
void rattle__indicators_note(rattle__indicators *s, double time, double length);
double rattle__indicators_sali(const rattle__indicators *s);
#endif
