#!/bin/sh
# zig 0.17.1 (PyPI ziglang 0.17.1) as a C compiler: one product of complex numbers in a shared library gives all of its
# sines and exponentials other bits, although it is linked with -lm.
#
# Guessed   functions of <math.h> are those of the system's libm where -lm is given, whatever else is in the library
# Seen      without the product they are, and libm is needed. With it sin and exp are in the library itself, local, and
#           libm is not needed at all: the helper of complex products stands in one object with zig's own sin, exp and
#           memcpy, which come along with it. Of 100000 numbers some thousands have another last bit
# Matters   a program that compares its library with code that the system's compiler makes, as for a second opinion to
#           the last bit, finds differences that come from a line without sines. Naming the functions after linking,
#           by nm -D, tells; -rtlib=none with gcc's own helpers avoids it
#
# Needs binutils and Python 3 on x86_64 with glibc. Exits with 1 if any of this is different.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" -q install ziglang==0.17.1
export ZIG_GLOBAL_CACHE_DIR="$folder/cache" ZIG_LOCAL_CACHE_DIR="$folder/cache"
cat >"$folder/plain.c" <<'END'
#include <math.h>
double sine(double x) { return sin(x); }
double exponential(double x) { return exp(x); }
END
cp "$folder/plain.c" "$folder/product.c"
cat >>"$folder/product.c" <<'END'
double _Complex product(double _Complex a, double _Complex b) { return a*b; }
END
"$folder/venv/bin/python" -m ziglang version
for name in plain product; do
  "$folder/venv/bin/python" -m ziglang cc -target x86_64-linux-gnu.2.17 -shared -fPIC -O2 "$folder/$name.c" -lm -o "$folder/$name.so"
  echo "$name: $(nm "$folder/$name.so" | grep -c -E ' t (sin|exp)$' || true) of sin and exp in it, libm needed: $(readelf -d "$folder/$name.so" | grep -c 'NEEDED.*libm' || true)"
done
[ "$(nm "$folder/plain.so" | grep -c -E ' U (sin|exp)')" = 2 ]
[ "$(nm "$folder/product.so" | grep -c -E ' t (sin|exp)$')" = 2 ]
! readelf -d "$folder/product.so" | grep -q 'NEEDED.*libm'
python3 - "$folder" <<'END'
import ctypes, math, random, sys
random.seed(1)
numbers = [random.uniform(-10, 10) for _ in range(100000)]
different = {}
for name in "plain", "product":
    library = ctypes.CDLL(f"{sys.argv[1]}/{name}.so")
    for function in library.sine, library.exponential:
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    different[name] = [sum(library.sine(x) != math.sin(x) for x in numbers), sum(library.exponential(x) != math.exp(x) for x in numbers)]
    print(f"{name}: {different[name][0]} sines and {different[name][1]} exponentials of {len(numbers)} are not the system's")
sys.exit(different["plain"] != [0, 0] or min(different["product"]) < 100)
END
