"""A dense.System in OpenMM, with its own constraints or librattle's."""
import numpy
import openmm


def rattle(step):
    """RATTLE's steps written for CustomIntegrator."""
    made = openmm.CustomIntegrator(step)
    made.addPerDofVariable("x1", 0)
    made.addUpdateContextState()
    made.addComputePerDof("v", "v + 0.5*dt*f/m")
    made.addComputePerDof("x", "x + dt*v")
    made.addComputePerDof("x1", "x")
    made.addConstrainPositions()
    made.addComputePerDof("v", "v + 0.5*dt*f/m + (x - x1)/dt")
    made.addConstrainVelocities()
    return made


def describe(system):
    """The System, with springs to the places of the start."""
    made = openmm.System()
    spring = openmm.CustomExternalForce(f"{system.spring!r}/2*((x - a)^2 + (y - b)^2 + (z - c)^2)")
    for name in "abc":
        spring.addPerParticleParameter(name)
    for k, mass in enumerate(system.masses):
        made.addParticle(float(mass))
        spring.addParticle(k, list(map(float, system.start[k])))
    for m, first in system.of:
        for i, j in m.pairs():
            made.addConstraint(first + i, first + j, m.length(i, j))
    made.addForce(spring)
    return made


class Result:
    def __init__(self, system, x, v):
        self.x, self.v, self.lengths = x, v, system.lengths(x)


def run(system, steps, h, ours=True, platform="Reference", tolerance=1e-13):
    """Result after `steps` of RATTLE; OpenMM's sentence, as text, where it refuses."""
    made = describe(system)
    if ours:
        import rattle_openmm
        rattle_openmm.add(made, tolerance)
    integrator = rattle(h)
    integrator.setConstraintTolerance(tolerance)
    properties = {"Threads": "1"} if platform == "CPU" else {}
    try:
        now = openmm.Context(made, integrator, openmm.Platform.getPlatformByName(platform), properties)
        now.setPositions(system.start)
        now.applyConstraints(tolerance)
        now.setVelocities(system.velocities)
        now.applyVelocityConstraints(tolerance)
        integrator.step(steps)
        state = now.getState(getPositions=True, getVelocities=True)
        x, v = (a._value for a in (state.getPositions(asNumpy=True), state.getVelocities(asNumpy=True)))
        return Result(system, x, v) if numpy.all(numpy.isfinite(x)) else "NaN, without a word"
    except openmm.OpenMMException as said:
        return str(said)
