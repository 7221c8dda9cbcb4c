#!/usr/bin/env bash
# Makes the packages of one release for one kind of machine:
#
#   build.sh VERSION ARCH OUT     ARCH is amd64 or arm64
#
# PROGRAMS=dir packs programs that are built already. The same commit gives the same
# bytes: every file has the commit's time, or SOURCE_DATE_EPOCH's.
set -euo pipefail
version=$1 arch=$2 out=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
deps=$tree/deploy/deps/deps.sh
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$tree" log -1 --format=%ct)}

# for_arch COMMAND...: with the environment of what is built for.
case $arch in
"$(dpkg --print-architecture 2>/dev/null || uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')")
	for_arch() { "$deps" exec "$@"; }
	;;
amd64 | arm64) for_arch() { TUTTI_TARGET=linux-$arch "$deps" exec "$@"; } ;;
*)
	echo "packages are made for amd64 and arm64, not for '$arch'" >&2
	exit 2
	;;
esac

mkdir -p "$out"
programs=${PROGRAMS:-$(mktemp -d)}
[ -n "${PROGRAMS:-}" ] || trap 'rm -rf "$programs"' EXIT
if [ -z "${PROGRAMS:-}" ]; then
	echo "packages: programs for $arch, version $version"
	# An empty build ID, because Go's own knows where the C libraries lay.
	(cd "$tree" && for_arch go build -trimpath -ldflags \
		"-s -w -buildid= -X main.version=$version -X github.com/tuttinode/tutti/cmd/tutti/internal/process.Version=$version" \
		-o "$programs/" ./cmd/tutti ./cmd/tutti_cli ./cmd/tutti_bench ./cmd/tutti_devnet)
fi

# shellcheck disable=SC2016 # the inner shell's variables
libav=$(for_arch bash -c 'echo "$TUTTI_DEPS"')
image=$("$deps" image "$arch")
nfpm=$("$deps" nfpm)
cd "$tree"
"$deps" exec bash -c 'exec go run ./cmd/internal/packages -modules "$(go env GOMODCACHE)" \
	-zones "$(go env GOROOT)/lib/time/zoneinfo.zip" "$@"' packages \
	-version "$version" -arch "$arch" -epoch "$epoch" -tree "$tree" -programs "$programs" -libav "$libav" -image "$image" \
	-nfpm "$nfpm" -out "$out"
