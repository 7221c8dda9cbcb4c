#!/usr/bin/env bash
# Makes the archive of one release for Windows on 64-bit x86, with its checksum:
#
#   windows.sh VERSION OUT
#
# FFmpeg and the C library are inside the programs; they need nothing beside Windows. The
# same commit gives the same bytes, as in build.sh.
set -euo pipefail
version=$1 out=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
deps=$tree/deploy/deps/deps.sh
epoch=${SOURCE_DATE_EPOCH:-$(git -C "$tree" log -1 --format=%ct)}
name=tutti-$version-windows-amd64

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/$name"
out=$(cd "$out" && pwd)
echo "packages: programs for Windows, version $version"
(cd "$tree" && TUTTI_TARGET=windows-amd64 "$deps" exec go build -trimpath \
	-ldflags "-s -w -buildid= -X main.version=$version \
		-X github.com/tuttinode/tutti/cmd/tutti/internal/process.Version=$version \
		-extldflags=-static" \
	-o "$work/$name/" ./cmd/tutti ./cmd/tutti_cli ./cmd/tutti_bench)
# A program that asks for a library of the compiler's starts on no other machine.
for program in "$work/$name"/*.exe; do
	foreign=$(TUTTI_TARGET=windows-amd64 "$deps" exec x86_64-w64-mingw32-objdump -p "$program" |
		awk '/DLL Name:/ && tolower($3) ~ /^lib/ { print $3 }')
	[ -z "$foreign" ] || { echo "packages: ${program##*/} needs $foreign" >&2; exit 1; }
done
cp "$tree/docs/install.md" "$work/$name/install.md"
cp "$here/copyright" "$work/$name/copyright.txt"
(cd "$tree" && "$deps" exec go run ./cmd/internal/packages zip "$work/$name" "$out/$name.zip" "$epoch")
(cd "$out" && sha256sum "$name.zip" >SHA256SUMS-windows-amd64)
ls -l "$out/$name.zip"
