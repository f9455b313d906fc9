/* dop853(field): the explicit Runge-Kutta method of order 8 of Dormand and Prince, with steps as
 * they are given: the estimates of orders 5 and 3 that divide them are left out.
 *
 * Map      Z_i = z0 + h sum_{j<i} a_ij f(Z_j), z1 = z0 + h sum_i b_i f(Z_i), 12 stages
 * Source   P. J. Prince, J. R. Dormand, J. Comput. Appl. Math. 7 (1981) 67; coefficients of dop853
 *          in E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I
 *          (1993), II.5, to double precision
 * Claims   order 8; neither symmetric nor symplectic: for short runs
 * Cost     twelve values of the field
 * Differs  nothing */
#include "maps/base/base.h"

enum { STAGES = 12 };

static const double a[STAGES][STAGES - 1] = {
    {0},
    {0.05260015195876773},
    {0.0197250569845379, 0.0591751709536137},
    {0.02958758547680685, 0, 0.08876275643042054},
    {0.2413651341592667, 0, -0.8845494793282861, 0.924834003261792},
    {1.0 / 27, 0, 0, 0.17082860872947386, 0.12546768756682242},
    {19.0 / 512, 0, 0, 0.17025221101954405, 0.06021653898045596, -9.0 / 512},
    {0.03709200011850479, 0, 0, 0.17038392571223998, 0.10726203044637328, -0.015319437748624402,
     0.008273789163814023},
    {0.6241109587160757, 0, 0, -3.3608926294469414, -0.868219346841726, 27.59209969944671,
     20.154067550477894, -43.48988418106996},
    {0.47766253643826434, 0, 0, -2.4881146199716677, -0.590290826836843, 21.230051448181193,
     15.279233632882423, -33.28821096898486, -0.020331201708508627},
    {-0.9371424300859873, 0, 0, 5.186372428844064, 1.0914373489967295, -8.149787010746927,
     -18.52006565999696, 22.739487099350505, 2.4936055526796523, -3.0467644718982196},
    {2.273310147516538, 0, 0, -10.53449546673725, -2.0008720582248625, -17.9589318631188,
     27.94888452941996, -2.8589982771350235, -8.87285693353063, 12.360567175794303,
     0.6433927460157636}};
static const double b[STAGES] = {0.054293734116568765,
                                 0,
                                 0,
                                 0,
                                 0,
                                 4.450312892752409,
                                 1.8915178993145003,
                                 -5.801203960010585,
                                 0.3111643669578199,
                                 -0.1521609496625161,
                                 0.20136540080403034,
                                 0.04471061572777259};

static void tableau(const rattle__node *node, rattle__tableau *t) {
  (void)node;
  *t = (rattle__tableau){.stages = STAGES};
  for (int i = 0; i < STAGES; i++) {
    t->b[i] = b[i];
    for (int j = 0; j < i; j++) t->a[i][j] = t->ahat[i][j] = a[i][j];
  }
}

const rattle__base rattle__dop853 = {.tableau = tableau};
