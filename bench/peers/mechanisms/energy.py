"""The energy of chain10 over a long time."""
RUNS = {"librattle": (("joints:gauss(8,guess=past)", 50), ("joints:gauss(8,guess=past)", 100), ("bodies:rattle(verlet)", 500), ("joints:dop853", 100)),
        "MuJoCo": (("Euler", 500), ("RK4", 500), ("dop8", 100)), "Pinocchio": (("symeuler", 1000), ("rk4", 500), ("dop8", 100)),
        "Simbody": (("rkm:1e-3", 1), ("rkm:1e-5", 1)), "Exudyn": (("kt:RK44", 100),)}


def row(engine, method, rate, found, times):
    name = f"| {engine} {method}" + ("" if ":1e-" in method else f", {rate}/s") + " | "
    if "failed" in found:
        return name + f"{found['failed']}, before {found['at']:g} s |" + " |"*len(times)
    energies = found["energy"]
    errors = [max(abs(energy - energies[0]) for energy in energies[:time + 1]) for time in times]
    return name + " | ".join(f"{error:.1e}" for error in errors) + f" | {1e-9*sum(found['ns']):.3g} |"


def compare(engines, seconds):
    """The largest change of the energy, at whole seconds, until times of 1, 10, 100 ... s; where a run ends early, until when."""
    times = [10**k for k in range(10) if 10**k < seconds] + [seconds]
    print("Largest change of the energy of chain10 in J until\n")
    print("| | " + " | ".join(f"{time} s" for time in times) + " | CPU s |\n|---|" + "---|"*(len(times) + 1))
    for engine in engines:
        for method, rate in RUNS[engine.name]:
            process = engine.open("chain10")
            print(row(engine.name, method, rate, process.run(method, rate, seconds, seconds), times), flush=True)
            process.close()
