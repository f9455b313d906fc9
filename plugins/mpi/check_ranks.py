#!/usr/bin/python3
"""A sweep on 1, 2 and 3 ranks has the rows that it has without MPI; failures of a rank; time that ends; kill -9 of one of them, and of all.

    check_ranks.py RATTLE SOURCE_DIR MPIEXEC
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

SWEEP = ["sweep", "pendulum.lua", "--set", "gravity=1,2", "--start", "py~uniform(-2,-1)", "--start", "x=1,1.5", "--stop", "5"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl": "self,vader", "OMPI_MCA_plm_rsh_agent": "true"}


def run(*words, ok=(0,)):
    done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode not in ok:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def check(what, condition):
    print(("ok    " if condition else "FAILED ") + what, flush=True)
    if not condition:
        sys.exit(1)


def main():
    rattle, source = map(os.path.abspath, sys.argv[1:3])
    start = [sys.argv[3], "--oversubscribe", "-n"]

    def rows(path):
        run(rattle, "info", path, "--csv", "rows.csv", "--force")
        with open("rows.csv", encoding="utf-8") as file:
            return file.read()

    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(os.path.join(source, "examples/pendulum.lua"), folder)
        os.chdir(folder)
        run(rattle, *SWEEP, "--count", "50", "-o", "whole.h5", "--quiet")
        whole = rows("whole.h5")
        for ranks in ("1", "2", "3"):
            said = json.loads(run(*start, ranks, rattle, *SWEEP, "--count", "50", "-o", "part.h5", "--force", "--json", "--threads", "2").stdout)
            check(f"{ranks} ranks: all cases, failures as rows", said["done"] == 200 and said["failed"] == 100)
            check(f"{ranks} ranks: the same rows", rows("part.h5") == whole)
        run(rattle, *SWEEP, "--count", "1", "-o", "whole.h5", "--quiet", "--force")
        said = json.loads(run(*start, "6", rattle, *SWEEP, "--count", "1", "-o", "part.h5", "--force", "--json").stdout)
        check("4 cases for 6 ranks: the same rows", said["done"] == 4 and rows("part.h5") == rows("whole.h5"))
        check("one complaint of a wrong option", run(*start, "3", rattle, *SWEEP, "-o", "wrong.h5", ok=(2,)).stderr.count("--count N") == 1)
        refused = run(*start, "2", rattle, *SWEEP, "--count", "2", "-o", "whole.h5", ok=(2,))
        check("one complaint of a file that exists", refused.stderr.count("whole.h5 exists") == 1)

        # all ranks are killed while they are at work, and others go on
        more = [*SWEEP[:-1], "2000", "--step", "0.01", "--evaluator", "block", "--count", "20", "--quiet"]
        run(rattle, *more, "-o", "long.h5")
        whole = rows("long.h5")
        said = json.loads(run(*start, "2", rattle, *more[:-1], "-o", "two.h5", "--json").stdout)
        check(f"both ranks ran cases, the second {said['from_other_ranks']} of 80", said["ranks"] == 2 and 0 < said["from_other_ranks"] < 80)
        check("the same rows", rows("two.h5") == whole)
        run(*start, "2", rattle, *more, "-o", "stopped.h5", "--stop-after", "0.6", ok=(130,))
        done = json.loads(run(rattle, "info", "stopped.h5", "--json").stdout)["done"]
        run(*start, "2", rattle, "resume", "stopped.h5", "--quiet")
        check(f"two ranks that were stopped after {done} of 80 cases go on, the same rows", done < 80 and rows("stopped.h5") == whole)

        def start_two(path):
            process = subprocess.Popen([*start, "2", rattle, *more, "-o", path], env=ENVIRONMENT, start_new_session=True, stderr=subprocess.DEVNULL)
            while process.poll() is None and (not os.path.exists(path) or json.loads(run(rattle, "info", path, "--json").stdout)["done"] == 0):
                pass
            check("two ranks are at work", process.poll() is None)
            return process

        process = start_two("one.h5")
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="utf-8") as file:
            os.kill(int(file.read().split()[-1]), signal.SIGKILL)
        check("the launcher ends all when one is killed", process.wait() != 0)
        run(rattle, "resume", "one.h5", "--quiet")
        check("continued by one process, the same rows", rows("one.h5") == whole)
        process = start_two("cut.h5")
        process.kill()
        process.wait()
        # the ranks end with mpirun
        while run(rattle, "resume", "cut.h5", "--quiet", "--stop-after", "0.001", ok=(0, 1, 130)).returncode == 1:
            pass
        run(*start, "3", rattle, "resume", "cut.h5", "--quiet")
        check("continued by three ranks, the same rows", rows("cut.h5") == whole)
        os.chdir("/")


main()
