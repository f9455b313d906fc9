#!/usr/bin/python3
"""`rattle watch` with runs that continue, end, fail and are killed; on a terminal, in a pipe and as a browser would see it.

    check_watch.py RATTLE SOURCE_DIR
"""
import contextlib
import fcntl
import http.client
import itertools
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

failures = []
PATIENCE = 200  # seconds for what is expected to happen: no machine needs them


def expect(good, what):
    if not good:
        failures.append(what)
        print("FAIL ", what)


class Screen:
    """As much of a terminal as the command uses. An unknown sequence raises."""

    def __init__(self, columns, rows):
        self.other, self.cursor = False, True
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows, self.x, self.y = columns, rows, 0, 0
        self.cells = [[" "] * columns for _ in range(rows)]
        self.wrapped = False

    def obey(self, code):
        if code == "H":
            self.x = self.y = 0
        elif code == "K":
            self.cells[self.y][self.x:] = [" "] * (self.columns - self.x)
        elif code == "J":
            self.obey("K")
            for row in range(self.y + 1, self.rows):
                self.cells[row] = [" "] * self.columns
        elif code in ("?1049h", "?1049l"):
            self.other = code == "?1049h"
            self.resize(self.columns, self.rows)
        elif code in ("?25h", "?25l"):
            self.cursor = code == "?25h"
        else:
            raise ValueError(f"unknown escape code {code!r}")

    def feed(self, text):
        for code, char in re.findall(r"\x1b\[(\??[0-9;]*[A-Za-z])|([\s\S])", text):
            if code:
                self.obey(code)
            elif char == "\r":
                self.x = 0
            elif char == "\n":
                self.y += 1
                if self.y == self.rows:
                    self.cells = self.cells[1:] + [[" "] * self.columns]
                    self.y -= 1
            elif ord(char) < 32:
                raise ValueError(f"control character {char!r}")
            else:
                if self.x == self.columns:
                    self.wrapped = True
                    self.x, self.y = 0, min(self.y + 1, self.rows - 1)
                self.cells[self.y][self.x] = char
                self.x += 1

    def text(self):
        return "\n".join("".join(row).rstrip() for row in self.cells)


class OnTerminal:
    """A command on a pseudo-terminal whose screen can be read."""

    def __init__(self, words, columns, rows):
        self.master, slave = pty.openpty()
        self.screen = Screen(columns, rows)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8")
        self.process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.waiting = b""

    def read(self, seconds):
        """Until so many seconds have passed, or the command has ended."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([self.master], [], [], 0.05)[0]:
                continue
            try:
                piece = os.read(self.master, 65536)
            except OSError:
                return
            if not piece:
                return
            # whole characters and escape codes only
            self.waiting += piece
            keep = re.search(rb"(\x1b[^A-Za-z]*|[\xc0-\xff][\x80-\xbf]{0,2})$", self.waiting)
            cut = keep.start() if keep and not self.is_whole(self.waiting[keep.start():]) else len(self.waiting)
            self.screen.feed(self.waiting[:cut].decode("utf-8"))
            self.waiting = self.waiting[cut:]

    @staticmethod
    def is_whole(end):
        with contextlib.suppress(UnicodeDecodeError):
            return not end.startswith(b"\x1b") and bool(end.decode("utf-8"))
        return False

    def until(self, good, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not good(self.screen.text()):
            self.read(0.1)
        return good(self.screen.text())

    def resize(self, columns, rows):
        self.screen.resize(columns, rows)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def wait_for(good, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while time.monotonic() < end and not good():
        time.sleep(0.05)
    return good()


def listeners(port):
    """Local addresses on which someone listens at the port, as the kernel tells them."""
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        if os.path.exists(table):
            for line in open(table).read().splitlines()[1:]:
                local, state = line.split()[1], line.split()[3]
                if state == "0A" and int(local.split(":")[1], 16) == port:
                    found.append(local.split(":")[0])
    return found


def main():
    rattle, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    folder = tempfile.TemporaryDirectory(prefix="rattle-watch-")
    os.chdir(folder.name)
    model = f"{source}/tests/cli/models/pend.lua"
    started = []

    def run(name, *words):
        """A run that would take for ever, unless words say other."""
        words = words or ("--steps", "100000000000", "--every", "20000")
        process = subprocess.Popen([rattle, "run", model, "-o", name, "--quiet", *words], stderr=subprocess.DEVNULL)
        started.append(process)
        return process

    def watch(*words):
        process = subprocess.Popen([rattle, "watch", "--interval", "0.1", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        started.append(process)
        return process

    def on_terminal():
        runner = run("term.h5")
        wait_for(lambda: os.path.exists("term.h5"))
        terminal = OnTerminal([rattle, "watch", "--interval", "0.1", "term.h5"], 80, 24)
        expect(terminal.until(lambda text: re.search(r"step [1-9]\d* of 100000000000", text) and "steps/s" in text),
               f"numbers on the terminal:\n{terminal.screen.text()}")
        first = re.search(r"step (\d+) of", terminal.screen.text())[1]
        expect(terminal.screen.other and not terminal.screen.cursor, "the other screen is taken, without a cursor")
        expect("Pendulum of the tests (term.h5)" in terminal.screen.text() and "rattle(verlet)" in terminal.screen.text(), "title")
        # the first picture may be of a run with one sample
        expect(terminal.until(lambda text: any(0x2800 < ord(c) < 0x2900 for c in text)), "a plot in braille")
        expect(terminal.until(lambda text: (re.search(r"step (\d+) of", text) or [0, first])[1] != first), "redrawn as the run goes on")
        for columns, rows in ((40, 12), (20, 4), (120, 40)):
            terminal.resize(columns, rows)

            def one_picture():
                """Seen from an empty screen of this size: what was on its way for the old size may wrap, later pictures may not."""
                terminal.screen.resize(columns, rows)
                terminal.until(lambda text: text.count("\n") and "step" in text)
                terminal.read(0.3)
                lines = terminal.screen.text().split("\n")
                return (lines[0].startswith("Pendulum of the test") and sum("Pendulum" in line for line in lines) == 1
                        and not terminal.screen.wrapped and terminal.screen.other)

            expect(wait_for(one_picture), f"{columns} x {rows}:\n{terminal.screen.text()}")
        # the rest of a picture may still be on its way
        expect(terminal.until(lambda text: sum(0x2800 < ord(c) < 0x2900 for c in text) >= 100), "the plot fits the width")
        terminal.process.send_signal(signal.SIGTSTP)
        terminal.until(lambda text: not terminal.screen.other)
        terminal.read(0.5)
        expect(not terminal.screen.other and terminal.screen.cursor, "SIGTSTP gives the screen back")
        terminal.process.send_signal(signal.SIGCONT)
        expect(terminal.until(lambda text: terminal.screen.other and "steps/s" in text), "SIGCONT goes on")
        terminal.process.send_signal(signal.SIGINT)
        terminal.read(PATIENCE)
        expect(terminal.process.wait(PATIENCE) == 130, "SIGINT gives 130")
        expect(not terminal.screen.other and terminal.screen.cursor, "the screen and the cursor are given back")
        expect("Pendulum of the tests" in terminal.screen.text() and "the run continues" in terminal.screen.text(), "the last picture stays")
        expect(runner.poll() is None, "the run goes on")
        runner.send_signal(signal.SIGINT)
        runner.wait(PATIENCE)

    def in_a_pipe():
        runner = run("pipe.h5")
        wait_for(lambda: os.path.exists("pipe.h5"))
        watcher = watch("pipe.h5")
        lines = [watcher.stdout.readline() for _ in range(3)]
        runner.send_signal(signal.SIGINT)
        rest, errors = watcher.communicate(timeout=PATIENCE)
        text = "".join(lines) + rest
        expect(watcher.returncode == 130 and "the run was interrupted; rattle resume pipe.h5" in errors, f"interrupted: {errors}")
        expect("\x1b" not in text + errors and "\r" not in text, "no escape codes in a pipe")
        expect(all(re.match(r"time \S+  [\d.]+ %  \S+ steps/s  .*energy error \S+  \|g\| \S+  \|psi\| \S+\n$", line) for line in lines[1:]),
               f"lines: {lines}")
        times = [float(t) for t in re.findall(r"^time (\S+)", text, re.MULTILINE)]
        expect(times == sorted(set(times)), "each line is newer than the one before")
        # a dumb terminal is none
        dumb = subprocess.run(["env", "TERM=dumb", rattle, "watch", "pipe.h5"], capture_output=True, text=True)
        expect("\x1b" not in dumb.stdout, "no escape codes on a dumb terminal")

    def as_json():
        runner = run("json.h5")
        watcher = watch("json.h5", "--json")
        seen = {"steps": 0}
        while seen["steps"] == 0:
            seen = {"steps": 0, **json.loads(watcher.stdout.readline())}
        expect(seen["state"] == "running" and seen["steps"] < 100000000000, f"JSON while running: {seen}")
        runner.send_signal(signal.SIGINT)
        last = json.loads(watcher.communicate(timeout=PATIENCE)[0].splitlines()[-1])
        expect(watcher.returncode == 130 and last["state"] == "ended" and last["steps"] > seen["steps"], f"JSON: {last}")
        runner.wait(PATIENCE)
        run("whole.h5", "--steps", "400").wait()
        whole = watch("whole.h5", "--json")
        last = json.loads(whole.communicate(timeout=PATIENCE)[0].splitlines()[-1])
        expect(whole.returncode == 0 and last["state"] == "ended" and last["steps"] == 400, f"JSON: {last}")

    def ends():
        # done, before it is watched
        run("done.h5", "--steps", "400").wait()
        done = watch("done.h5")
        text, _ = done.communicate(timeout=PATIENCE)
        expect(done.returncode == 0 and "done.h5: the run is done" in text and "time 10 " in text, f"done: {text}")
        # failed
        open("fall.lua", "w").write('local x, p = pair("x") hamiltonian(p^2/2 + log(x)) start { x = 1 } '
                                    'integrate { method = "verlet", step = 0.01, stop = 100 }')
        subprocess.run([rattle, "run", "fall.lua", "-o", "fall.h5", "--quiet"], stderr=subprocess.DEVNULL)
        failed = watch("fall.h5")
        _, errors = failed.communicate(timeout=PATIENCE)
        expect(failed.returncode == 1 and "the run failed: " in errors, f"failed: {failed.returncode} {errors}")
        # killed
        runner = run("killed.h5")
        wait_for(lambda: os.path.exists("killed.h5"))
        killed = watch("killed.h5")
        killed.stdout.readline()
        runner.kill()
        runner.wait()
        _, errors = killed.communicate(timeout=PATIENCE)
        expect(killed.returncode == 1 and "the run was killed; repair the record with rattle recover killed.h5" in errors, f"killed: {errors}")
        # not there yet: the run begins later, and is followed to its end
        watcher = watch("later.h5")
        time.sleep(0.5)
        expect(watcher.poll() is None, "a record that is not there yet is waited for")
        run("later.h5", "--steps", "400")
        text, _ = watcher.communicate(timeout=PATIENCE)
        expect(watcher.returncode == 0 and "the run is done" in text, f"later: {text}")
        # never there; no record
        for words, said in ((("never.h5", "--wait", "0.3"), "never.h5 did not appear"), ((model,), "is not a record"),
                            (("done.h5", "--y", "z"), "done.h5 has no column z"), (("done.h5", "--port", "80"), "--port needs --web")):
            refused = watch(*words)
            _, errors = refused.communicate(timeout=PATIENCE)
            expect(refused.returncode == 2 and said in errors, f"{words}: {refused.returncode} {errors}")
        # watching does not keep a run from being resumed
        runner = run("again.h5", "--steps", "400")
        runner.wait()
        expect(subprocess.run([rattle, "resume", "again.h5", "--stop", "20", "--quiet"]).returncode == 0, "resumed")

    def texts_are_harmless():
        open("odd.lua", "w").write('title "a\\27[2Jb\\7c\\194\\155d<script>" local x, p = pair("x") hamiltonian(p^2/2) start { px = 1 } '
                                   'integrate { method = "verlet", step = 0.01, steps = 100 }')
        subprocess.run([rattle, "run", "odd.lua", "-o", "odd.h5", "--quiet"], check=True)
        terminal = OnTerminal([rattle, "watch", "odd.h5"], 80, 24)
        terminal.read(PATIENCE)
        expect(r"a\u001b[2Jb\u0007c\u009bd<script>" in terminal.screen.text(), f"titles are printed without what terminals obey:\n{terminal.screen.text()}")
        expect(terminal.process.wait(PATIENCE) == 0, "odd.h5 is done")

    def in_a_browser():
        runner = run("web.h5")
        wait_for(lambda: os.path.exists("web.h5"))
        watcher = watch("web.h5", "--web")
        line = watcher.stderr.readline()
        if "built without libmicrohttpd" in line:
            print("no --web here: built without libmicrohttpd")
            return runner.kill()
        port = int(re.match(r"http://127\.0\.0\.1:(\d+)/$", line)[1])

        def get(path, method="GET", host=None):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
            connection.request(method, path, headers={"Host": host} if host else {})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read().decode("utf-8")

        expect(wait_for(lambda: json.loads(get("/state.json")[2]).get("samples", 0) > 0), "samples")
        expect(listeners(port) == ["0100007F"], f"only 127.0.0.1 is listened on: {listeners(port)}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.2", port), timeout=2):
            expect(False, "another address answers")
        pages = {path: get(path) for path in ("/", "/page.js", "/page.css", "/state.json")}
        for path, (status, headers, text) in pages.items():
            policy = headers.get("Content-Security-Policy", "")
            expect(status == 200 and policy.startswith("default-src 'none'; ") and "unsafe" not in policy, f"{path}: {status} {policy}")
            expect(not re.search(r"(https?:)?//[a-z0-9.-]+\.[a-z]|innerHTML|eval\(", text), f"{path} refers to nothing outside")
        expect(not re.search(r"<script(?! src)|<style| on\w+=| style=", pages["/"][2]), "no script or style in the page itself")
        state = json.loads(pages["/state.json"][2])
        expect(state["state"] == "running" and [c["name"] for c in state["curves"]] == ["energy_error", "g", "psi"], f"state: {state['state']}")
        expect(len(state["curves"][0]["time"]) == len(state["curves"][0]["low"]) > 0, "curves")
        expect(wait_for(lambda: json.loads(get("/state.json")[2])["steps"] > state["steps"]), "the state goes on")
        expect(get("/state.json", host="evil.example")[0] == 403, "another host's name is refused")
        expect(get("/state.json", host=f"localhost:{port}")[0] == 200, "localhost is not")
        expect(get("/", method="POST")[0] == 405 and get("/etc/passwd")[0] == 404 and get("/../page.js")[0] == 404, "nothing else is there")
        # connections that begin a request and never end it do not keep the page from anybody, however often they send something
        slow = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(300)]
        enough = threading.Event()

        def drip():
            for byte in itertools.chain(b"GET /", itertools.repeat(ord("a"))):
                for connection in slow:
                    with contextlib.suppress(OSError):
                        connection.send(bytes([byte]))
                if enough.wait(0.2):
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        for _ in range(5):
            expect(get("/")[0] == 200, "the page, while other connections are slow")
            time.sleep(0.2)
        enough.set()
        dripping.join()
        for connection in slow:
            connection.close()
        taken = watch("web.h5", "--web", "--port", str(port))
        _, errors = taken.communicate(timeout=PATIENCE)
        expect(taken.returncode == 1 and f"port {port} of 127.0.0.1 is not available" in errors, f"a port that is taken: {errors}")
        # an open page is notified of the end, then the command ends
        get("/state.json")
        runner.send_signal(signal.SIGINT)

        def has_ended():
            try:
                return watcher.poll() is not None or json.loads(get("/state.json")[2])["state"] == "ended"
            except ConnectionError:  # it ended just now: before the connection, or between request and answer
                return True

        expect(wait_for(has_ended) and watcher.wait(PATIENCE) == 130, "the page is notified of the end")
        expect(listeners(port) == [], "nobody listens any more")
        # a run that ended before it was watched is shown until SIGINT; the exit status is that of the run
        run("web3.h5", "--steps", "400").wait()
        watcher = watch("web3.h5", "--web", "--port", str(port))
        watcher.stderr.readline()
        time.sleep(1)
        expect(watcher.poll() is None and json.loads(get("/state.json")[2])["state"] == "ended", "a finished run is shown")
        watcher.send_signal(signal.SIGINT)
        expect(watcher.wait(PATIENCE) == 0 and "web3.h5: the run is done" in watcher.stdout.read(), "SIGINT ends showing it")
        # SIGINT
        run("web2.h5")
        wait_for(lambda: os.path.exists("web2.h5"))
        watcher = watch("web2.h5", "--web")
        watcher.stderr.readline()
        watcher.stdout.readline()
        watcher.send_signal(signal.SIGINT)
        expect(watcher.wait(PATIENCE) == 130, "SIGINT ends serving")

    for part in (on_terminal, in_a_pipe, as_json, ends, texts_are_harmless, in_a_browser):
        begun = time.monotonic()
        try:
            part()
        except Exception as what:
            failures.append(part.__name__)
            print(f"FAIL  {part.__name__}: {type(what).__name__}: {what}")
        finally:
            for process in started:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            started.clear()
        print(f"{part.__name__}: {time.monotonic() - begun:.1f} s")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
