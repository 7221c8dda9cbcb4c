#!/usr/bin/env bash
# Makes the packages of the last commit twice, from two clones in two folders with
# nothing compiled before, and compares them: reproducible.sh VERSION ARCH
set -euo pipefail
version=$1 arch=$2
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for n in one another/and-deeper; do
	mkdir -p "$work/$n"
	git clone --quiet "$tree" "$work/$n/tutti"
	# A cache of its own: what was compiled for the other must not be taken.
	TUTTI_GOCACHE="$work/$n/gocache" "$work/$n/tutti/deploy/nfpm/build.sh" "$version" "$arch" "$work/$n/packages"
done
if ! diff <(cd "$work/one/packages" && sha256sum -- *) <(cd "$work/another/and-deeper/packages" && sha256sum -- *); then
	echo "the two differ" >&2
	exit 1
fi
echo "reproducible: both are the same"
