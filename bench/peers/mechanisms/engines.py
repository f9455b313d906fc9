"""The engines: how each is built and started, which methods with how many steps a second it is given, and runs of it."""
import json
import os
import re
import subprocess

from .systems import ALL

HERE = os.path.dirname(os.path.abspath(__file__))
LOOPS, BALLS = ("fourbar", "bricard"), ("chain50", "chain50b")
TABLEAU = """
from scipy.integrate._ivp.dop853_coefficients import A, B
def row(values): return "{" + ", ".join(map(repr, map(float, values[:12]))) + "}"
print("static const double A[12][12] = {" + ",\\n".join(map(row, A[:12])) + "},\\n B[12] = " + row(B) + ";")
"""


class Engine:
    """A process that makes runs of one system."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1,
                                        cwd=folder, env=dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1"))

    def run(self, method, rate, seconds, chunks):
        try:
            self.process.stdin.write(f"{method} {rate} {seconds} {chunks}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return {"failed": "the program has ended"}
        for line in self.process.stdout:
            if line.startswith(("{", "@{")):
                return json.loads(line.lstrip("@"))
        return {"failed": "the program has ended"}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Ours:
    name, note = "librattle", "the C interface, models in bodies or in joint coordinates, machine code of cc"
    symplectic = True

    def __init__(self, place):
        self.program = os.path.join(place.build, "bench", "bench_mechanisms")
        self.words = ["block"] if place.block else []
        self.folder = place.systems

    def missing(self):
        return None if os.path.exists(self.program) else f"there is no {self.program}: build it with ninja bench_mechanisms"

    def version(self):
        words = ["git", "describe", "--always", "--dirty"]
        found = subprocess.run(words, cwd=HERE, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
        return f"librattle {found}".strip()

    def open(self, system):
        return Engine([os.path.abspath(self.program), os.path.join(self.folder, system + ".lua"), *self.words], self.folder)

    def configurations(self, system):
        few = (1, 2, 3, 4) if system == "racket" else ()
        many = {"bodies:rattle(verlet)": (30, 60, 125, 250, 500, 1000), "bodies:suzuki4(rattle(verlet))": (*few, 6, 8, 12, 18, 25, 50, 100, 200, 400),
                "bodies:kahan_li8(rattle(verlet))": (*few, 6, 8, 12, 18, 25, 50, 100, 200), "bodies:multistep8": (60, 125, 250, 500, 1000)}
        if system in LOOPS:
            many.update({f"joints:spark_gauss({s}{past})": (8, 12, 18, 25, 36, 50, 70, 100, 140) for s in (3, 4) for past in ("", ",guess=past")})
        elif system == "chain50b":  # stages contract at short steps alone
            many.update({f"joints:gauss({s},guess=past)": (100, 200, 400, 800, 1600) for s in (4, 8)})
            many["joints:dop853"] = (100, 200, 400, 800)
        else:
            many.update({f"joints:gauss({s}{past})": (*few, 6, 8, 10, 12, 15, 18, 25, 50) for s in (4, 8) for past in ("", ",guess=past")})
            many["joints:dop853"] = (*few, 6, 8, 12, 15, 25, 36, 50, 100)
        return many


class Mujoco:
    name, note, source = "MuJoCo", "its library in the wheel; Euler and RK4 its own, dop8 the method of order 8 around its accelerations", "mujoco.cpp"
    package = "mujoco"

    def flags(self, site):
        found = [name for name in os.listdir(os.path.join(site, "mujoco")) if name.startswith("libmujoco.so")]
        folder = os.path.join(site, "mujoco")
        return [f"-I{folder}/include", os.path.join(folder, found[0]), f"-Wl,-rpath,{folder}"]

    def configurations(self, system):
        if system in LOOPS:
            return {"Euler": (500,), "RK4": (500,), "RK4+stiff": (8000, 16000)}
        many = {"Euler": (500, 2000), "RK4": (8, 15, 30, 60, 125, 250, 500, 1000, 2000)}
        if system in ("chain10", "tree30"):
            many["dop8"] = (4, 6, 8, 12, 18, 25, 50, 100, 200)
        return many


class Pinocchio:
    name, source, package = "Pinocchio", "pinocchio.cpp", "pin"
    note = "aba, loops by constraintDynamics, -O3 -march=native; it has no integrator: symeuler, rk4 and dop8 are around its accelerations"

    def flags(self, site):
        # Eigen is Debian's; the wheel's Boost needs longer lists for Pinocchio's joints
        return ["-DNDEBUG", "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
                "-DBOOST_FUSION_INVOKE_MAX_ARITY=12", f"-isystem{site}/cmeel.prefix/include", "-isystem/usr/include/eigen3"]

    def configurations(self, system):
        many = {"symeuler": (1000,), "rk4": (8, 15, 30, 60, 125, 250, 500, 1000, 2000), "dop8": (1, 2, 3, 4, 6, 8, 12, 18, 25, 50, 100, 200)}
        return dict(many, rk4=(250, 500, 1000, 2000, 4000, 8000), dop8=(25, 50, 100, 200, 400, 800)) if system == "chain50b" else many


class Simbody:
    name, note, source, package = "Simbody", "Debian's; Merson's method and CPodes with the accuracies of their step control", "simbody.cpp", None

    def flags(self, _):
        return ["-DNDEBUG", "-isystem/usr/include/simbody", "-lSimTKsimbody", "-lSimTKmath", "-lSimTKcommon"]

    def configurations(self, _):
        return {"rkm": tuple(f"1e-{k}" for k in (3, 5, 7, 9, 11)), "cpodes": ("1e-6", "1e-9")}


class Exudyn:
    name, note, package = "Exudyn", "SolveDynamic from Python; kt: its kinematic tree, lg: its node on the Lie group", "exudyn"

    def configurations(self, system):
        many = {"genalpha": (100, 1000)}
        if system != "bricard":
            many["trapez2"] = (1000,)
        if system in ("chain10", "tree30"):
            many["kt:RK44"] = (60, 125, 500, 2000)
        if system == "racket":
            many["lg:RK44"] = (60, 125, 500)
        return many


class Peer:
    """An engine with what is common: its program in the folder of the virtual environment."""

    def __init__(self, kind, place):
        self.kind, self.place, self.name, self.note = kind, place, kind.name, kind.note
        self.program = os.path.join(place.peers, kind.name.lower())
        self.configurations, self.symplectic = kind.configurations, False

    def missing(self):
        if not os.path.exists(self.place.python):
            return f"{self.name} is left out: there is no {self.place.python}; tools/setup mechanisms makes it"
        if isinstance(self.kind, Simbody) and not os.path.exists("/usr/include/simbody"):
            return "Simbody is left out: tools/setup mechanisms installs it"
        if not isinstance(self.kind, Exudyn):
            self.build()
        return None

    def build(self):
        source = os.path.join(HERE, self.kind.source)
        headers = [os.path.join(HERE, name) for name in ("engine.hpp", "explicit.hpp")]
        newest = max(os.path.getmtime(name) for name in (source, *headers))
        if os.path.exists(self.program) and os.path.getmtime(self.program) >= newest:
            return
        with open(os.path.join(self.place.peers, "tableau.hpp"), "w", encoding="utf-8") as file:
            subprocess.run([self.place.python, "-c", TABLEAU], stdout=file, check=True)
        print(f"building {self.name}" + (", which takes minutes" if isinstance(self.kind, Pinocchio) else ""), flush=True)
        subprocess.run(["g++", "-O3", "-march=native", "-std=c++17", "-w", f"-I{self.place.peers}", source, "-o", self.program,
                        *self.kind.flags(self.place.site)], check=True)

    def version(self):
        if isinstance(self.kind, Simbody):
            words = ["dpkg-query", "-W", "-f", "${Version}", "libsimbody-dev"]
            return "Simbody " + subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False).stdout
        text = f"import importlib.metadata as m; print(m.version({self.kind.package!r}))"
        found = subprocess.run([self.place.python, "-c", text], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        return f"{self.name} {found}"

    def open(self, system):
        if isinstance(self.kind, Exudyn):
            return Engine([self.place.python, "-B", "-m", "peers.mechanisms.exudyn_engine", system], os.path.dirname(os.path.dirname(HERE)))
        return Engine([self.program, os.path.join(self.place.systems, system)], self.place.peers)


class Place:
    """The folders: of our build, of the virtual environment with the programs, of the systems."""

    def __init__(self, build, peers, block):
        self.build, self.peers, self.block = build, os.path.abspath(peers), block
        self.python = os.path.join(self.peers, "bin", "python")
        self.systems = os.path.join(self.peers, "systems")
        self.site = None
        if os.path.exists(self.python):
            self.site = subprocess.run([self.python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], stdout=subprocess.PIPE, text=True,
                                       check=True).stdout.strip()


PEERS = (Mujoco(), Pinocchio(), Simbody(), Exudyn())
NAMES = [kind.name.lower() for kind in PEERS]
assert set(LOOPS + BALLS) <= set(ALL)


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        text = file.read()
    found = re.search(r"^model name\s*:\s*(.*)$", text, re.M)
    return f"{found[1] if found else 'unknown'}, {'AVX-512' if ' avx512f' in text else 'AVX2' if ' avx2' in text else 'no AVX2'}"
