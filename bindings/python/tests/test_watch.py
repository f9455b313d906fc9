"""Signals while a call goes on in a thread: what their handlers raise comes after it has ended, at whatever instruction a signal comes."""
import signal
import sys
import threading
import time
import unittest

import common
from rattle.watch import wait


class Waiting(unittest.TestCase):
    def setUp(self):
        def ring(number, frame):
            raise KeyboardInterrupt

        hook, sys.unraisablehook = sys.unraisablehook, lambda raised: None  # a handler that raises within a finalizer of Python's own
        self.addCleanup(setattr, sys, "unraisablehook", hook)
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, ring))
        self.ring = ring

    def test_nothing_leaves_while_the_call_goes_on(self):
        begun, ended, seen = [], [], 0

        def call():
            begun.append(1)
            time.sleep(0.0005)
            ended.append(1)

        for k in range(600):
            stop, interrupt = None, [0]
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 + k % 100 * 1e-5)
                stop = wait(call, interrupt)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:  # before the call, or after it
                pass
            self.assertEqual(len(begun), len(ended))
            seen += stop is not None
        self.assertGreater(seen, 100)
        self.assertIs(signal.getsignal(signal.SIGALRM), self.ring)

    def test_other_threads_call_it_themselves(self):
        names = []
        thread = threading.Thread(target=lambda: wait(lambda: names.append(threading.current_thread()), [0]))
        thread.start()
        thread.join()
        self.assertEqual(names, [thread])


if __name__ == "__main__":
    common.main()
