"""Compares the dense matrices of src/ground/linear with numpy's LAPACK: random, graded and rank-deficient ones, up to 500 rows.

    dense.py librattle_whole.so           exit status 77: there is no numpy
    dense.py librattle_whole.so --times   and prints processor times, ours beside LAPACK's
"""
import ctypes
import sys
import time

try:
    import numpy as np
except ImportError:
    print("no numpy")
    sys.exit(77)

library = ctypes.CDLL(sys.argv[1])
times = sys.argv[2:] == ["--times"]
rng = np.random.default_rng(7)
EPS = np.finfo(float).eps


def call(name, *arguments):
    arguments = [a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else a for a in arguments]
    begin = time.process_time()
    status = getattr(library, "rattle__" + name)(*arguments, None)
    taken = time.process_time() - begin
    assert status == 0, (name, status)
    return taken


def timed(function, *arguments):
    begin = time.process_time()
    result = function(*arguments)
    return result, time.process_time() - begin


def matrix(kind, m, n):
    A = rng.normal(size=(m, n))
    if kind == "graded columns":
        A *= np.logspace(0, -12, n)
    if kind == "graded rows":
        A *= np.logspace(0, -12, m)[:, None]
    if kind == "deficient":
        r = min(m, n) // 2
        A = rng.normal(size=(m, r)) @ rng.normal(size=(r, n))
    if kind == "equal":
        A = np.linalg.qr(rng.normal(size=(max(m, n),) * 2))[0][:m, :n]
    if kind == "band":
        A = 2 * np.eye(m, n) - np.eye(m, n, 1) - np.eye(m, n, -1)
    return A


def check(what, error, bound):
    assert error <= bound, f"{what}: {error:.2g} > {bound:.2g}"


def singular(kind, A):
    m, n = A.shape
    k = min(m, n)
    S, U, same = np.zeros(k), np.zeros((m, m)), np.zeros(k)
    whole = call("singular", m, n, np.array(A.T, order="C"), S, U)
    alone = call("singular", m, n, np.array(A.T, order="C"), same, None)
    of, theirs_alone = timed(lambda: np.linalg.svd(A, compute_uv=False))
    _, theirs = timed(np.linalg.svd, A)
    check(f"values {kind} {m}x{n}", abs(S - of).max(), 8 * EPS * max(m, n) * of[0])
    check(f"vectors {kind} {m}x{n}", abs(U @ U.T - np.eye(m)).max(), 8 * EPS * max(m, n))
    image = np.linalg.norm(U @ A, axis=1)  # rows of U are the vectors
    check(f"images {kind} {m}x{n}", abs(image - np.concatenate([S, np.zeros(m - k)])).max(), 8 * EPS * max(m, n) * of[0])
    rank = ctypes.c_int()
    zero = 1e-10 * of[0]
    ranks = call("rank", m, n, np.array(A.T, order="C"), ctypes.c_double(zero), ctypes.byref(rank))
    expected = int((of > zero).sum())
    assert rank.value == expected, (kind, m, n, rank.value, expected)
    return alone, theirs_alone, whole, theirs, ranks


def least_squares(kind, A):
    m, n = A.shape
    b = np.zeros(max(m, n))
    b[:m] = rng.normal(size=m)
    rank = ctypes.c_int()
    given = b[:m].copy()
    ours = call("least_squares", m, n, np.array(A.T, order="C"), b, ctypes.c_double(1e-10), ctypes.byref(rank))
    (x, _, found, s), theirs = timed(lambda: np.linalg.lstsq(A, given, rcond=1e-10))
    assert rank.value == found, (kind, m, n, rank.value, found)
    if not kind.startswith("graded"):  # with a gap there is one answer
        condition = s[0] / s[found - 1]
        check(f"solution {kind} {m}x{n}", abs(b[:n] - x).max(), 8 * EPS * max(m, n) * condition**2 * (abs(x).max() + 1))
    return ours, theirs


def eigenvalues(kind, A):
    n = len(A)
    re, im = np.zeros(n), np.zeros(n)
    ours = call("eigenvalues", n, np.array(A.T, order="C"), re, im)
    of, theirs = timed(np.linalg.eigvals, A)
    left, most = list(of), 0.0
    for value in re + 1j * im:
        nearest = int(np.argmin(abs(np.array(left) - value)))
        most = max(most, abs(left.pop(nearest) - value))
    if kind not in ("deficient", "equal"):  # whose zeros, and whose clusters, are ill-conditioned
        check(f"eigenvalues {kind} {n}", most, 200 * EPS * n * np.linalg.norm(A, 2))
    return ours, theirs


shapes = [(1, 1), (2, 2), (3, 5), (10, 10), (30, 20), (20, 60), (100, 100), (200, 120)]
shapes += [(500, 500)] if times else [(300, 300)]
for m, n in shapes:
    for kind in ("random", "graded columns", "graded rows", "deficient", "equal", "band"):
        if m > 200 and kind not in ("random", "deficient"):
            continue
        if kind == "deficient" and min(m, n) < 2:
            continue
        A = matrix(kind, m, n)
        row = singular(kind, A) + least_squares(kind, A) + (eigenvalues(kind, A) if m == n else ())
        if times and kind in ("random", "deficient") and m == n:
            print(f"{m:4} {kind:10} ms, ours and LAPACK's: values %.3g %.3g, vectors %.3g %.3g, rank %.3g, least squares %.3g %.3g, "
                  "eigenvalues %.3g %.3g" % tuple(1e3 * t for t in row))
