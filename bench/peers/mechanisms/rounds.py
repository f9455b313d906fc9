"""Runs by turns: the CPU time of each configuration, as the sum over chunks of the least of all rounds."""
import math

ROUNDS, BUDGET, SLOW = 20, 0.15, 1.0  # most rounds; seconds of CPU after which a configuration rests; and from which on shorter steps are not tried
CHUNK = 4e6  # ns


class Configuration:
    def __init__(self, engine, method, rate, tip):
        self.engine, self.method, self.rate, self.exact = engine, method, rate, tip
        self.least, self.spent, self.rounds, self.error, self.open, self.failed = None, 0.0, 0, math.inf, 0.0, None
        self.chunks = 1 if engine == "Exudyn" or isinstance(rate, str) else 5

    @property
    def cpu(self):
        return 1e-9*sum(self.least)

    def rests(self):
        return self.failed is not None or self.spent > BUDGET and self.rounds >= 2

    def run(self, process):
        adaptive = isinstance(self.rate, str)
        found = process.run(f"{self.method}:{self.rate}", 1000, 1, 1) if adaptive else process.run(self.method, self.rate, 1, self.chunks)
        if "failed" in found:
            self.failed = found["failed"]
            return
        total = sum(found["ns"])
        self.spent += 1e-9*total
        self.open = max(self.open, found["open"])
        if self.rounds == 0:  # the second run has the chunks by which this one's time is divided
            self.error, self.rounds = math.dist(found["tip"], self.exact), 1
            if total > 1e9*SLOW:
                self.least = found["ns"]
            elif self.chunks > 1:
                self.chunks = max(1, min(100, round(total/CHUNK)))
            return
        self.least = found["ns"] if self.least is None else list(map(min, self.least, found["ns"]))
        self.rounds += 1


def measure(system, engines, tip):
    """All configurations of all engines that ended a run."""
    processes = {engine.name: engine.open(system) for engine in engines}
    every = [Configuration(engine.name, method, rate, tip) for engine in engines
             for method, rates in engine.configurations(system).items() for rate in rates]
    slow = set()
    for _ in range(ROUNDS):
        for c in every:
            if c.rests() or (c.engine, c.method) in slow and not c.rounds:
                continue
            c.run(processes[c.engine])
            if c.spent > SLOW and c.rounds <= 1:
                slow.add((c.engine, c.method))
        if all(c.rests() for c in every):
            break
    for process in processes.values():
        process.close()
    return [c for c in every if c.failed is None and c.least], [c for c in every if c.failed]


def at_error(points, error):
    """The time of a method for an error, interpolated in logarithms between neighbouring steps; a step counts if all smaller ones hold it too."""
    first = len(points)
    while first and points[first - 1].error <= error:
        first -= 1
    if first == len(points):
        return None
    times = [point.cpu for point in points[first:]]
    if first and points[first - 1].cpu < times[0] and points[first].error > 0:
        before, point = points[first - 1], points[first]
        times[0] = before.cpu*(point.cpu/before.cpu)**(math.log(before.error/error)/math.log(before.error/point.error))
    return min(times)


def families(found):
    """Points of each engine and method, from long to short steps."""
    lists = {}
    for c in found:
        lists.setdefault((c.engine, c.method), []).append(c)
    return lists
