#ifndef RATTLE__BOND_TEAM_H
#define RATTLE__BOND_TEAM_H
/* Threads that help a caller with work that is shared by demand: whoever asks takes the next part.
 *
 * Waiting  the caller waits for no helper that has not begun, and does what is left itself: on a
 *          machine whose processors have other work, helpers that get no time take no part. It
 *          waits for what helpers have begun. Whoever waits looks as long as waking a helper takes
 *          (the least so far), then sleeps: no more than twice what the best guess of the future
 *          would cost (A. R. Karlin et al., Algorithmica 11 (1994) 542), and no processor is kept
 *          that others want
 * Forks    in a child of the process there are no helpers: the caller works alone */

typedef struct rattle__team rattle__team;
typedef void rattle__share(void *work, int who); /* who: 0 the caller, else a helper, 1 ... */

/* As many helpers as the system gives, at most so many; NULL if none. */
rattle__team *rattle__team_create(int helpers);
/* Destroys the team (nulls). */
void rattle__team_destroy(rattle__team **team);
/* The caller's share of the work and those of helpers that come in time; returns when all have
 * left it. */
void rattle__team_run(rattle__team *team, rattle__share *share, void *work);
#endif
