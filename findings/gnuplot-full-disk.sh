#!/bin/sh
# gnuplot 5.4 patchlevel 4 (Debian 12's gnuplot-nox 5.4.4+dfsg1-2+b2) ends with exit status 0 and says nothing
# where none of its figure can be written.
#
# Guessed   a status that is not 0, or at least a line on standard error, as most programs give for a full disk
# Seen      neither, for SVG, PDF and PNG: neither writes of the output nor its closing are checked
# Matters   a program that draws by gnuplot, and keeps the status, takes a cut figure for a good one, and may replace
#           a good one by it. It has to read the output itself through a pipe, or look for the end of the file
#
# /dev/full is a disk that is always full. Exits with 1 if any of this is different.
set -eu
version='gnuplot-nox=5.4.4+dfsg1-2+b2'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/cache/archives/partial" "$folder/root"
: >"$folder/status" # nothing is installed: all that it needs comes along
apt-get -q -q -o Dir::State::status="$folder/status" -o Dir::Cache="$folder/cache" -o Debug::NoLocking=1 \
  --download-only --no-install-recommends -y install "$version" >"$folder/apt.log" 2>&1 || { cat "$folder/apt.log" >&2; exit 2; }
for package in "$folder"/cache/archives/*.deb; do dpkg -x "$package" "$folder/root"; done
libraries=$(find "$folder/root" -type d -name '*-linux-gnu' -path '*lib*' | tr '\n' ':')
# those that have folders of their own
for library in blas lapack; do libraries=$libraries$(find "$folder/root" -type d -path "*-linux-gnu/$library" | tr '\n' ':'); done
gnuplot() { LD_LIBRARY_PATH=$libraries GNUTERM=dumb "$folder/root/usr/bin/gnuplot-nox" "$@"; }

gnuplot --version
different=0
for terminal in svg pdfcairo pngcairo; do
  status=0
  gnuplot -e "set terminal $terminal; set output '/dev/full'; plot sin(x); unset output" >"$folder/said" 2>&1 || status=$?
  echo "$terminal to /dev/full: exit status $status, $(wc -c <"$folder/said") bytes said"
  [ "$status" = 0 ] && [ ! -s "$folder/said" ] || different=1
done
status=0
cat "$0" >/dev/full 2>/dev/null || status=$?
echo "cat to /dev/full: exit status $status"
[ "$status" != 0 ] || different=1
exit "$different"
