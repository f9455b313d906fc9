"""Bonds of systems of OpenMM, also of those in XML files.

    system = openmm.XmlSerializer.deserialize(open("system.xml").read())
    bonds = rattle.openmm.bonds_of(system)

    sites = rattle.openmm.sites_of(system)

OpenMM itself is not imported here. Lengths are in nm, masses in u. docs/openmm.md is about the plug-in, which runs in OpenMM."""
from __future__ import annotations

import typing

import numpy

from rattle.bonds import Bonds
from rattle.sites import Sites

__all__ = ["bonds_of", "box_of", "sites_of"]


def _number(quantity):
    """A quantity of OpenMM in its own units (nm, u)."""
    return float(getattr(quantity, "_value", quantity))


def bonds_of(system: typing.Any, **options: typing.Any) -> Bonds:
    """rattle.Bonds of the constraints of a system: what it constrains, no more. A bond that it keeps is only a constraint, and has no force.

    Particles without mass do not move, or are sites: they take no part, and a constraint to one is refused, as OpenMM does.
    options: tolerance, solver, threads, as of rattle.Bonds."""
    masses = numpy.array([_number(system.getParticleMass(k)) for k in range(system.getNumParticles())])
    found = [system.getConstraintParameters(k) for k in range(system.getNumConstraints())]
    pairs = numpy.array([(int(i), int(j)) for i, j, _ in found], dtype=int).reshape(-1, 2)
    return Bonds(pairs, [_number(length) for _, _, length in found], masses, **options)


def box_of(system: typing.Any) -> numpy.ndarray | None:
    """The edges of the periodic box as rows, as the stages of rattle.Bonds take them; None: no force of the system is periodic, and the default
    vectors that each system has mean nothing."""
    if not system.usesPeriodicBoundaryConditions():
        return None
    return numpy.array([[_number(edge[k]) for k in range(3)] for edge in system.getDefaultPeriodicBoxVectors()])


def sites_of(system: typing.Any) -> Sites:
    """rattle.Sites of the virtual sites of a system: averages, OutOfPlaneSite and LocalCoordinatesSite. ValueError names another kind."""
    found = {k: _site(k, system.getVirtualSite(k)) for k in range(system.getNumParticles()) if system.isVirtualSite(k)}
    return Sites(system.getNumParticles(), found)


def _site(number, site):
    kind, parents = type(site).__name__, [site.getParticle(k) for k in range(site.getNumParticles())]
    none = [0.0]*len(parents)
    if kind in ("TwoParticleAverageSite", "ThreeParticleAverageSite"):
        return None, parents, [[site.getWeight(k) for k in range(len(parents))], none, none]
    if kind == "OutOfPlaneSite":
        return "3out", parents, [site.getWeight12(), site.getWeight13(), site.getWeightCross()]
    if kind == "LocalCoordinatesSite":
        place = site.getLocalPosition()
        weights = [list(site.getOriginWeights()), list(site.getXWeights()), list(site.getYWeights())]
        return None, parents, weights, [*(_number(place[k]) for k in range(3)), 0.0]
    raise ValueError(f"particle {number} is a {kind}, which is not one of TwoParticleAverageSite, ThreeParticleAverageSite, OutOfPlaneSite and "
                     "LocalCoordinatesSite")
