/* A four-bar linkage that turns past a toggle. With a step that is too long Newton's method alone
 * goes over to the other assembly there, with all residuals at round-off, and the certificate of
 * that step says so; the library refuses it. With a shorter step each one is proved. docs/certificates.md has the theorem.
 *
 * Linkage  crank 1 from O = (0, 0) to A, coupler 2 from A to B, rocker 1.01 from B to D = (2, 0),
 *          masses 1 at A and B, no forces. It is nearly a parallelogram: crank and rocker pass the
 *          line OD together, and there the other assembly, in which the rocker turns back, is near
 * Closed form  the two assemblies are the two intersections of a circle about A and one about D.
 *          |A - D| stays below 2 + 1.01 and above 2 - 1.01 for all angles of the crank, so that
 *          they never meet: which of them a motion is in, the sign of (B - A) x (D - B), is
 *          constant */
#include "paper.h"

#include <math.h>
#include <string.h>

enum { N = 4, M = 3, LONG = 60, SHORT = 20 * LONG };
static const double crank = 1, coupler = 2, rocker = 1.01, ground = 2, long_step = 0.15,
                    short_step = 0.0075;

static const char model[] =
    "local xa, pxa = pair('xa')\nlocal ya, pya = pair('ya')\nlocal xb, pxb = pair('xb')\n"
    "local yb, pyb = pair('yb')\nhamiltonian((pxa^2 + pya^2 + pxb^2 + pyb^2)/2)\n"
    "constrain('crank', xa^2 + ya^2 - 1)\n"
    "constrain('coupler', (xb - xa)^2 + (yb - ya)^2 - 4)\n"
    "constrain('rocker', (xb - 2)^2 + yb^2 - 1.01^2)\n"
    "start { xa = 0, ya = 1, xb = 2, yb = 1.01, pxa = -1, pya = 0, pxb = -1, pyb = 0, project = "
    "true }\n";

/* --- RATTLE by hand, with Newton's method and no guard ---------------------------------------- */

static void constraints(const double *q, double g[M], double G[M][N]) {
  const double u = q[2] - q[0], v = q[3] - q[1], r = q[2] - ground;
  const double rows[M][N] = {
      {2 * q[0], 2 * q[1], 0, 0}, {-2 * u, -2 * v, 2 * u, 2 * v}, {0, 0, 2 * r, 2 * q[3]}};
  g[0] = q[0] * q[0] + q[1] * q[1] - crank * crank;
  g[1] = u * u + v * v - coupler * coupler;
  g[2] = r * r + q[3] * q[3] - rocker * rocker;
  memcpy(G, rows, sizeof rows);
}

/* x = (G1 G0^T)^-1 b, by Cramer's rule */
static void solve(double G1[M][N], double G0[M][N], const double b[M], double x[M]) {
  double A[M][M] = {{0}};
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      for (int k = 0; k < N; k++) A[i][j] += G1[i][k] * G0[j][k];
#define DET(P, Q, R)                                                                               \
  (P[0] * (Q[1] * R[2] - Q[2] * R[1]) - P[1] * (Q[0] * R[2] - Q[2] * R[0]) +                       \
   P[2] * (Q[0] * R[1] - Q[1] * R[0]))
  const double det = DET(A[0], A[1], A[2]);
  for (int j = 0; j < M; j++) {
    double C[M][M];
    memcpy(C, A, sizeof C);
    for (int i = 0; i < M; i++) C[i][j] = b[i];
    x[j] = DET(C[0], C[1], C[2]) / det;
  }
#undef DET
}

/* One step from z to z1; returns the largest |g_i| at its end. */
static double step_by_hand(double h, const double *z, double *z1) {
  double g[M], G0[M][N], G1[M][N], l[M], most = 0;
  constraints(z, g, G0);
  for (int k = 0; k < N; k++) z1[k] = z[k] + h * z[N + k];
  for (int iteration = 0; iteration < 20; iteration++) {
    constraints(z1, g, G1);
    solve(G1, G0, g, l);
    for (int i = 0; i < M; i++)
      for (int k = 0; k < N; k++) z1[k] -= G0[i][k] * l[i];
  }
  for (int k = 0; k < N; k++) z1[N + k] = (z1[k] - z[k]) / h;
  constraints(z1, g, G1);
  double psi[M] = {0};
  for (int i = 0; i < M; i++) {
    most = fmax(most, fabs(g[i]));
    for (int k = 0; k < N; k++) psi[i] += G1[i][k] * z1[N + k];
  }
  solve(G1, G1, psi, l);
  for (int i = 0; i < M; i++)
    for (int k = 0; k < N; k++) z1[N + k] -= G1[i][k] * l[i];
  return most;
}

/* --- what is asked of a trajectory ------------------------------------------------------------ */

/* (B - A) x (D - B) */
static double assembly(const double *q) {
  return (q[2] - q[0]) * (0 - q[3]) - (q[3] - q[1]) * (ground - q[2]);
}

/* The angle of a link, in turns, next to `before`. */
static double turns(double y, double x, double before) {
  const double at = atan2(y, x) / (2 * acos(-1));
  return at + round(before - at);
}

/* A trajectory as it grows: over the angle of the crank that of the rocker. */
typedef struct path {
  int points;
  double crank[SHORT + 1], rocker[SHORT + 1], g; /* largest |g_i| */
  int changes, first; /* of the assembly, and the first step that changes it */
} path;

static void add(path *to, const double *z, const double *before) {
  const int k = to->points++;
  to->crank[k] = turns(z[1], z[0], k ? to->crank[k - 1] : 0);
  to->rocker[k] = turns(z[3], z[2] - ground, k ? to->rocker[k - 1] : 0);
  if (!before || assembly(before) * assembly(z) > 0) return;
  if (!to->changes++) to->first = k;
}

static void draw(paper *out, const path *by_hand, const path *proved) {
  const paper_figure figure = {.name = "toggle",
                               .caption =
                                   "The angle of the rocker over that of the crank, in turns: "
                                   "proved, and by Newton's method alone",
                               .x = "crank",
                               .y = "rocker",
                               .kind = "marked"};
  paper_figure_begin(out, &figure);
  const path *paths[] = {proved, by_hand};
  for (int i = 0; i < 2; i++) {
    paper_curve(out,
                i ? "Newton's method alone, step 0.15" : "rattle(verlet), step 0.0075, proved");
    for (int k = 0; k < paths[i]->points; k++)
      paper_point(out, paths[i]->crank[k], paths[i]->rocker[k]);
  }
  paper_figure_end(out);
}

/* --- the two trajectories --------------------------------------------------------------------- */

static void go_by_hand(paper *out, path *to, rattle_certifier *certifier, const double *start,
                       rattle_certificate *found) {
  double z[2 * N], z1[2 * N];
  rattle_error error;
  memcpy(z, start, sizeof z);
  add(to, z, NULL);
  for (int k = 0; k < LONG; k++) {
    to->g = fmax(to->g, step_by_hand(long_step, z, z1));
    if (rattle_certifier_check(certifier, long_step, z, z + N, z1, found, &error))
      paper_stop(out, "%s", error.message);
    add(to, z1, z);
    memcpy(z, z1, sizeof z);
  }
}

/* Returns the status of the first step that fails, which ends it. */
static rattle_status go_by_library(path *to, rattle_certifier *certifier, double step, int steps,
                                   const double *start, rattle_certificate *found) {
  double z[2 * N], before[2 * N], g[M], G[M][N];
  rattle_state state = {.h = step, .q = z, .p = z + N};
  rattle_status status = RATTLE_OK;
  rattle_error error;
  memcpy(z, start, sizeof z);
  rattle_integrator_reset(rattle_certifier_integrator(certifier));
  add(to, z, NULL);
  for (int k = 0; k < steps && !status; k++) {
    memcpy(before, z, sizeof before);
    status = rattle_certifier_step(certifier, &state, 1, found, &error);
    if (status) break;
    constraints(z, g, G);
    for (int i = 0; i < M; i++) to->g = fmax(to->g, fabs(g[i]));
    add(to, z, before);
  }
  return status;
}

static int run(paper *out) {
  static path alone, refused, proved;
  rattle_certificate hand = {0}, cut = {0}, all = {0};
  rattle_certifier *certifier;
  rattle_error error;
  paper_run *at = paper_run_open(out, model, "rattle(verlet)", short_step);
  if (rattle_certifier_create(&certifier, at->problem, "rattle(verlet)", &error))
    paper_stop(out, "%s", error.message);
  alone = refused = proved = (path){0};
  go_by_hand(out, &alone, certifier, at->z, &hand);
  const rattle_status long_ends = go_by_library(&refused, certifier, long_step, LONG, at->z, &cut);
  const rattle_status short_ends =
      go_by_library(&proved, certifier, short_step, SHORT, at->z, &all);
  rattle_certifier_destroy(&certifier);

  paper_heading(out, "Newton's method alone, step 0.15");
  paper_claim(out, "largest |g|", "round-off", alone.g, 0, 1e-14);
  paper_claim(out, "changes of the assembly", "none is right: the two do not meet", alone.changes,
              1, LONG);
  paper_claim(out, "first step that is not proved", "that of the first change", (double)hand.step,
              alone.first, alone.first);
  paper_heading(out, "The library, step 0.15");
  paper_claim(out, "status of the step that is refused", "RATTLE_DEGENERATE", long_ends,
              RATTLE_DEGENERATE, RATTLE_DEGENERATE);
  paper_claim(out, "changes of the assembly before", "0: the two do not meet", refused.changes, 0,
              0);
  paper_heading(out, "The library, step 0.0075");
  paper_claim(out, "status", "RATTLE_OK", short_ends, RATTLE_OK, RATTLE_OK);
  paper_claim(out, "steps proved", "all of 1200", (double)(all.one_piece + all.tracked), SHORT,
              SHORT);
  paper_claim(out, "changes of the assembly", "0: the two do not meet", proved.changes, 0, 0);
  paper_claim(out, "largest |g|", "round-off", proved.g, 0, 1e-14);
  draw(out, &alone, &proved);
  return 0;
}

const paper_experiment paper_toggle = {
    "toggle", "A toggle, passed with a proof of each step",
    "H. C. Andersen, J. Comput. Phys. 52 (1983) 24, the iteration; docs/certificates.md",
    "Where a linkage is stretched, Newton's method alone changes to the other assembly; with a "
    "proof of each step the motion goes on, or ends with a sentence.",
    run};
