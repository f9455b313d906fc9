"""Effective samples a processor second on a torus, by rattle and by mici, in turns: the area measure, four chains on one thread.

    python bench/sampling_peers.py [ROUNDS]      needs rattle and mici (0.4.1) in one Python, and `cc`

Processor time of the draws alone: a run less one of the same warm-up with few draws. Effective samples are those of the coordinate that has the fewest, by the
library's estimate for both. Of each row the median over the rounds, which have seeds of their own."""
import statistics
import sys
import time
import warnings

import numpy

import rattle
from rattle.samples_file import estimate_of

CHAINS = 4
TORUS = """local x,px = pair('x') local y,py = pair('y') local z,pz = pair('z') hamiltonian((px^2 + py^2 + pz^2)/2)
constrain('torus', (x^2 + y^2 + z^2 + 1 - 0.25)^2 - 4*(x^2 + y^2)) start{x = 1.5} integrate{step = 0.1}"""


def least(chains):
    """Of [chains, draws, coordinates]."""
    return min(estimate_of(chains[:, :, i]).effective for i in range(3))


class Ours:
    def __init__(self, method, evaluator="native", draws=150000):
        self.name, self.method, self.evaluator, self.draws = f"rattle {method or 'as it comes'}, {evaluator}", method, evaluator, draws
        self.model = rattle.Model.from_string(TORUS)
        self.sample(1, 100)

    def sample(self, seed, draws):
        began = time.process_time()
        found = self.model.sample(self.method, samples=draws, chains=CHAINS, seed=seed, threads=1, evaluator=self.evaluator)
        return time.process_time() - began, found

    def rate(self, seed):
        short, (long, found) = self.sample(seed, 1000)[0], self.sample(seed, self.draws + 1000)
        return least(found.values[:, :, :3]) * self.draws / (self.draws + 1000) / (long - short)


class Mici:
    def __init__(self, sampler, draws=400, **options):
        self.name, self.draws = f"mici {sampler} {options or ''}", draws
        self.kind, self.options = sampler, options

    def rate(self, seed):
        import mici

        def constr(q):
            return numpy.array([(q @ q + 0.75)**2 - 4*(q[0]**2 + q[1]**2)])

        def jacob_constr(q):
            return numpy.array([4*(q @ q + 0.75)*q - 8*numpy.array([q[0], q[1], 0])])

        system = mici.systems.DenseConstrainedEuclideanMetricSystem(neg_log_dens=lambda q: 0.0, grad_neg_log_dens=lambda q: 0*q, constr=constr,
                                                                    jacob_constr=jacob_constr)
        integrator = mici.integrators.ConstrainedLeapfrogIntegrator(system)
        sampler = getattr(mici.samplers, self.kind)(system, integrator, numpy.random.default_rng(seed), **self.options)
        angles = numpy.random.default_rng(seed).uniform(0, 2*numpy.pi, (CHAINS, 2))
        starts = [numpy.array([(1 + numpy.cos(a)/2)*numpy.cos(b), (1 + numpy.cos(a)/2)*numpy.sin(b), numpy.sin(a)/2]) for a, b in angles]
        marks = []
        _, traces, _ = sampler.sample_chains(n_warm_up_iter=100, n_main_iter=self.draws, init_states=starts, display_progress=False, n_process=1,
                                             adapters=[mici.adapters.DualAveragingStepSizeAdapter(0.8)],
                                             trace_funcs=[lambda state: marks.append(time.process_time()) or {"pos": state.pos}])[:3]
        # traces are taken in the main iterations alone, of one chain after the other
        spent = sum(marks[(c + 1)*self.draws - 1] - marks[c*self.draws] for c in range(CHAINS))
        return least(numpy.stack(traces["pos"])) / spent


def main():
    warnings.simplefilter("ignore")
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    rows = [Mici("StaticMetropolisHMC", n_step=10), Mici("DynamicMultinomialHMC", draws=250), Ours(None), Ours(None, "block", 30000),
            Ours(None, "native", 600000), Ours("hmc(rattle(verlet), solutions=any)"), Ours("hmc(rattle(verlet), length=4)"),
            Ours("hmc(rattle(verlet), steps=20)")]
    rates = [[row.rate(seed) for row in rows] for seed in range(1, rounds + 1)]
    middle = [statistics.median(column) for column in zip(*rates)]
    best = max(rate for row, rate in zip(rows, middle) if isinstance(row, Mici))
    for row, rate, column in zip(rows, middle, zip(*rates)):
        print(f"{row.name:62} {getattr(row, 'draws', 0):7} draws  {rate:9.0f} a second ({min(column):.0f} .. {max(column):.0f})  {rate/best:7.1f} times mici's best")


if __name__ == "__main__":
    main()
