/* Constraints in molecular dynamics. Cyclohexane with rigid bonds: the coupling matrix A = G M^-1
 * G^T, sweeps, light hydrogens and their repartitioned masses, and the apparent temperature of
 * SHAKE's momenta.
 *
 * Units: nm, ps, u, kJ/mol. Constraints are g = (|r|^2 - d^2)/(2 d), so that A is made of inverse
 * masses and cosines alone. */
#include "paper.h"

#include <math.h>
#include <stdio.h>

/* %d open: 1 for a chain of 6 carbons, 0 for the ring; %d hydrogens; %g their mass; %d rigid
 * angles */
static const char cyclohexane[] =
    "local open, hydrogens, mH, rigid = %d, %d, %g, %d\n"
    "local bond, short, angle = 0.1526, 0.109, math.rad(111.4)\n"
    "local mC = 12.011 + (hydrogens == 0 and 2*1.008 or -2*(mH - 1.008))\n"
    "local q, axes, count = {}, {'x', 'y', 'z'}, hydrogens == 1 and 18 or 6\n"
    "for a = 1, 3 do q[a] = pairs_of(axes[a], count) end\n"
    "for i = 1, count do for a = 1, 3 do mass(q[a][i], i <= 6 and mC or mH) end end\n"
    "local function at(i) return (i - 1)%%6 + 1 end\n"
    "local function square(i, j) local s = 0 for a = 1, 3 do s = s + (q[a][i] - q[a][j])^2 end "
    "return s end\n"
    "local function rod(name, i, j, d) constrain(name, (square(i, j) - d^2)/(2*d)) end\n"
    "local wide = 2*bond*math.sin(angle/2)\n"
    "local place = {}\n"
    "local r = wide/math.sqrt(3)\n"
    "local h = math.sqrt(bond^2 - r^2)/2\n"
    "for i = 1, 6 do place[i] = {r*math.cos(i*math.pi/3), r*math.sin(i*math.pi/3), i%%2 == 0 and h "
    "or -h} end\n"
    "for i = 1, 6 - open do rod('bond' .. i, i, at(i + 1), bond) end\n"
    "for i = 1, 6 - 2*open do\n"
    "  if rigid == 1 then rod('angle' .. i, i, at(i + 2), wide)\n"
    "  else potential(2e4*(square(i, at(i + 2)) - wide^2)^2/(4*wide^2)) end\n"
    "end\n"
    "if open == 0 then for i = 1, 3 do\n"
    "  local d = 2*math.sqrt(r^2 + h^2)\n"
    "  potential(100*(square(i, i + 3) - d^2)^2/(4*d^2)) end end\n"
    "if hydrogens == 1 then for i = 1, 6 do\n"
    "  local c, u, a, b = place[i], {}, place[at(i + 1)], place[at(i + 5)]\n"
    "  local v, size = {}, {0, 0}\n"
    "  for k = 1, 3 do u[k] = 2*c[k] - a[k] - b[k] end\n"
    "  for k = 1, 3 do local l, m = k%%3 + 1, (k + 1)%%3 + 1\n"
    "    v[k] = (a[l] - c[l])*(b[m] - c[m]) - (a[m] - c[m])*(b[l] - c[l]) end\n"
    "  for k = 1, 3 do size = {size[1] + u[k]^2, size[2] + v[k]^2} end\n"
    "  for s = 0, 1 do local j, p, cosine = 7 + 2*(i - 1) + s, {}, math.cos(math.rad(53.5))\n"
    "    local sine = (1 - 2*s)*math.sqrt(1 - cosine^2)\n"
    "    for k = 1, 3 do p[k] = c[k] + short*(cosine*u[k]/math.sqrt(size[1]) + "
    "sine*v[k]/math.sqrt(size[2])) end\n"
    "    place[j] = p\n"
    "    rod('hydrogen' .. j, i, j, short)\n"
    "    local d = 0\n"
    "    for k = 1, 3 do d = d + (p[k] - a[k])^2 end\n"
    "    potential(1e4*(square(j, at(i + 1)) - d)^2/(4*d))\n"
    "    d = 0\n"
    "    for k = 1, 3 do d = d + (p[k] - b[k])^2 end\n"
    "    potential(1e4*(square(j, at(i + 5)) - d)^2/(4*d))\n"
    "  end end end\n"
    "local function normal() return math.sqrt(-2*math.log(1 - "
    "random()))*math.cos(2*math.pi*random()) end\n"
    "for i = 1, count do for a = 1, 3 do\n"
    "  start { [q[a][i]] = place[i][a] }\n"
    "  velocity { [q[a][i]] = math.sqrt(0.0083144626*300/(i <= 6 and mC or mH))*normal() }\n"
    "end end\n"
    "start { project = true }\n";

static paper_run *begin(paper *out, int open, int hydrogens, double mass, int rigid,
                        const char *method, double h) {
  static char text[sizeof cyclohexane + 100];
  snprintf(text, sizeof text, cyclohexane, open, hydrogens, mass, rigid);
  return paper_run_open(out, text, method, h);
}

/* Condition number of A at the start. */
static double condition(paper *out, const paper_run *run) {
  double value;
  rattle_error error;
  if (rattle_problem_nondegeneracy(run->problem, run->state.q, run->state.p, NULL, &value, &error))
    paper_stop(out, "%s", error.message);
  return value;
}

/* Sweeps per step of RATTLE with the SHAKE iteration, the mean over 200 steps of half a
 * femtosecond. */
static double sweeps(paper *out, int open, int hydrogens, double mass, int rigid) {
  paper_run *run = begin(out, open, hydrogens, mass, rigid, "rattle(verlet, solver=sweep)", 0.0005);
  paper_run_step(out, run, 200);
  return (double)rattle_integrator_counts(run->integrator).newton_iterations / 200;
}

static void coupling(paper *out) {
  paper_run *chain = begin(out, 1, 0, 1, 0, "rattle(verlet)", 0.001),
            *ring = begin(out, 0, 0, 1, 0, "rattle(verlet)", 0.001);
  paper_run *rigid = begin(out, 0, 0, 1, 1, "rattle(verlet)", 0.001);
  paper_heading(out, "Closed rings: six carbons, CH2 as one atom");
  paper_claim(out, "condition number of $A$, chain of 5 bonds", "-", condition(out, chain), 1.5,
              2.5);
  paper_claim(out, "condition number of $A$, ring of 6 bonds", "ill-conditioned; it is not",
              condition(out, ring), 1.8, 3);
  paper_claim(out, "condition number of $A$, rigid angles, $m = 12$", "ill-conditioned",
              condition(out, rigid), 10, 1e4);
  const double of_chain = sweeps(out, 1, 0, 1, 0), of_ring = sweeps(out, 0, 0, 1, 0),
               of_rigid = sweeps(out, 0, 0, 1, 1);
  paper_claim(out, "sweeps per step, chain", "-", of_chain, 10, 60);
  paper_claim(out, "sweeps per step, ring over chain", "very slow; it is not", of_ring / of_chain,
              0.9, 1.5);
  paper_claim(out, "sweeps per step, rigid angles over chain", "very slow", of_rigid / of_chain, 5,
              200);
}

static void masses(paper *out) {
  paper_run *light = begin(out, 0, 1, 1.008, 0, "rattle(verlet)", 0.001),
            *heavy = begin(out, 0, 1, 3.024, 0, "rattle(verlet)", 0.001);
  paper_heading(out, "Light hydrogens: all 18 bonds rigid; masses of hydrogen 1.008 u, and 3.024 u "
                     "taken from the carbon");
  paper_claim(out, "condition number of $A$, hydrogen 1.008 u", "ill-conditioned",
              condition(out, light), 6, 20);
  paper_claim(out, "condition number of $A$, hydrogen 3.024 u", "better conditioned",
              condition(out, heavy), 1, 6);
  paper_claim(out, "sweeps per step, 1.008 u over 3.024 u", "very slow; it is faster",
              sweeps(out, 0, 1, 1.008, 0) / sweeps(out, 0, 1, 3.024, 0), 0.4, 1);
  paper_say(out, "sweeps do not depend on the scaling of the rows of $A$, but on the coupling "
                 "divided by the root of the diagonals;");
  paper_say(out, "a light hydrogen hardly moves its carbon, which couples its bonds");
}

/* Twice the kinetic energy for each degree of freedom, in K: the mean over a run. */
static double temperature(paper *out, const char *method, double h, double *trend) {
  enum { PARTS = 2 };
  const double mass = 14.027, gas = 0.0083144626, freedom = 18 - 6;
  const long long steps = llround(20 / h);
  double mean = 0, energy[PARTS] = {0};
  paper_run *run = begin(out, 0, 0, 1, 0, method, h);
  for (long long k = 0; k < steps; k++) {
    double z[36], H;
    paper_run_step(out, run, 1);
    const double *p = run->state.p;
    for (int i = 0; i < 18; i++) mean += p[i] * p[i] / mass / (freedom * gas) / (double)steps;
    if (k % 10) continue;
    paper_run_look(out, run, z, &H, NULL, NULL);
    energy[PARTS * k / steps] += H / (double)(steps / 10 / PARTS);
  }
  *trend = energy[1] - energy[0];
  return mean;
}

static void heat(paper *out) {
  double heating, flat, fine;
  paper_heading(
      out,
      "The apparent temperature of SHAKE's momenta: ring, 20 ps, bonds rigid, $T = 2 K/(3N - m)$");
  const double shake = temperature(out, "shake(verlet)", 0.002, &heating),
               rattle = temperature(out, "rattle(verlet)", 0.002, &flat);
  const double shake_fine = temperature(out, "shake(verlet)", 0.001, &fine),
               rattle_fine = temperature(out, "rattle(verlet)", 0.001, &fine);
  paper_claim(out, "apparent temperature, SHAKE minus RATTLE, K", "systematically too high",
              shake - rattle, 1e-3, 50);
  paper_claim(out, "the same, $h$ = 2 fs over $h$ = 1 fs", "$O(h^2)$",
              (shake - rattle) / (shake_fine - rattle_fine), 3.3, 4.7);
  paper_claim(out, "energy, second half minus first, kJ/mol: RATTLE", "no heating", flat, -0.02,
              0.02);
  paper_claim(out, "energy, second half minus first, kJ/mol: SHAKE",
              "steady heating; there is none", heating, -0.02, 0.02);
}

static int run(paper *out) {
  coupling(out);
  masses(out);
  heat(out);
  return 0;
}

const paper_experiment paper_molecular_constraints = {
    "molecular_constraints", "Constraints in molecular dynamics: coupling, masses, temperature",
    "J. P. Ryckaert, G. Ciccotti, H. J. C. Berendsen (1977); H. C. Andersen (1983); common "
    "statements about both",
    "How fast sweeps over bonds converge in chains, rings and rigid angles, what heavy hydrogens "
    "change, and which temperature momenta of SHAKE show.",
    run};
