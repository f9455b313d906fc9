#ifndef RATTLE__TANGENTS_H
#define RATTLE__TANGENTS_H

/* Derivatives of steps that were made, from the points between them: what maps that know their own
 * derivative offer in place of the general way. */
typedef struct rattle__tangents {
  /* W [count][2n] through `steps` steps of the lengths h from the points z [steps+1][2n], each to
   * the next. Returns how many were done; the next one is to be differentiated by other means,
   * which say why if it has no derivative. */
  long long (*through)(void *self, const double *h, const double *z, long long steps, int count,
                       double *W);
  void (*destroy)(void *self);
  void *self; /* NULL: there are none */
} rattle__tangents;

static inline void rattle__tangents_end(rattle__tangents *t) {
  if (t->self) t->destroy(t->self);
  t->self = 0;
}
#endif
