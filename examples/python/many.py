"""Chains and sweeps on many processes, of one machine by joblib and of a cluster by dask.distributed: models, samples and sweeps pickle.

    pip install librattle joblib "dask[distributed]"
    python many.py                      # a cluster of two processes here; of your own: Client("scheduler:8786")

Each chain has its own seed, so that numbers do not depend on where it runs; a sweep is cut into parts, whose rows are those of the whole."""
import numpy as np

import rattle


def torus():
    """The area of a torus, R = 1 and r = 1/2, for which the mean of cos(theta) is 1/4."""
    m = rattle.Model("Torus")
    x, px = m.pair("x")
    y, py = m.pair("y")
    z, pz = m.pair("z")
    m.hamiltonian((px**2 + py**2 + pz**2)/2)
    rho = np.hypot(x, y)
    m.constrain("g", (rho - 1)**2 + z**2 - 0.25)
    m.observe("cos", 2*(rho - 1))
    m.start(x=1.5)
    return m


def chain(seed):
    """One chain, on one thread: processes are many already."""
    return torus().sample("hmc(rattle(verlet))", step=0.2, chains=1, samples=2000, warmup=500, seed=seed, threads=1)


def part(p):
    """The ends of runs from these momenta."""
    m = torus()
    m.start(py=1)
    return m.sweep({"pz": p}, method="rattle(verlet)", step=0.01, stop=2, threads=1, keep=["observables"])["cos"]


def together(samplings, name):
    """[chains, samples], as ArviZ takes them."""
    return np.concatenate([one[name] for one in samplings])


if __name__ == "__main__":
    from dask.distributed import Client
    from joblib import Parallel, delayed

    momenta = np.array_split(np.linspace(-1, 1, 40), 4)
    cos = np.concatenate(Parallel(n_jobs=2)(delayed(part)(p) for p in momenta))
    print(f"joblib: {len(cos)} ends, cos(theta) from {cos.min():.4f} to {cos.max():.4f}")
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        chains = cluster.gather(cluster.map(chain, range(1, 5)))
    print(f"dask: {len(chains)} chains, mean of cos(theta) {together(chains, 'cos').mean():.2f}, exact 0.25")
