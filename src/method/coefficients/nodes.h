#ifndef RATTLE__NODES_H
#define RATTLE__NODES_H

enum { RATTLE__STAGES = 16 }; /* the most */

/* Nodes c[s] and weights b[s] of Gauss-Legendre quadrature on [0,1], and collocation coefficients
 * a[i][j] (a may be NULL), to the precision of double. */
void rattle__gauss_coefficients(int s, double *c, double *b,
                                double a[RATTLE__STAGES][RATTLE__STAGES]);
/* The Lobatto IIIA-IIIB pair with s stages, 2 <= s: nodes c[s] (0 and 1 among them), weights b[s],
 * a IIIA, ahat IIIB. */
void rattle__lobatto_coefficients(int s, double *c, double *b,
                                  double a[RATTLE__STAGES][RATTLE__STAGES],
                                  double ahat[RATTLE__STAGES][RATTLE__STAGES]);
/* Between s nodes of Gauss and s + 1 of Lobatto, 1 <= s < RATTLE__STAGES: the latter, time[s+1],
 * and their weights; node[k][j] the integral of the j-th Lagrange polynomial of the former up to
 * time_k; push[i][k] = weight_k (1 - node_ki/b_i), symplectic with it. */
void rattle__gauss_lobatto_coefficients(int s, double *time, double *weight,
                                        double node[RATTLE__STAGES][RATTLE__STAGES],
                                        double push[RATTLE__STAGES][RATTLE__STAGES]);
/* weight[i][j]: the j-th Lagrange polynomial of from[count] at to[number]. */
void rattle__continuation_coefficients(int count, const double *from, int number, const double *to,
                                       double weight[RATTLE__STAGES][RATTLE__STAGES]);
#endif
