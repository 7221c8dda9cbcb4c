#!/usr/bin/env bash
# Packs the GPU kit: one archive with all that a machine with an NVIDIA card needs to
# try tutti on it, and nothing that has to be installed there.
#
#   pack.sh VERSION FOLDER     run through deploy/deps/deps.sh exec
#
# FOLDER gets tutti-gpukit-VERSION-linux-amd64.tar.xz and its checksum.
set -euo pipefail
version=$1 out=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.."
most=$((36 * 1000 * 1000))
name=tutti-gpukit-$version-linux-amd64
[ "$(go env GOOS)/$(go env GOARCH)" = linux/amd64 ] || { echo "gpukit: only Linux on x86-64 is packed" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kit=$work/tutti-gpukit
mkdir -p "$kit"/{bin,lib,fake,tests}

echo "gpukit: programs"
link="-s -w -X main.version=$version -X github.com/tuttinode/tutti/cmd/tutti/internal/process.Version=$version"
go build -trimpath -ldflags "$link" -o "$kit/bin/" ./cmd/tutti ./cmd/tutti_bench
CGO_ENABLED=0 go build -trimpath -ldflags "$link" -o "$kit/bin/" ./cmd/tutti_cli
CGO_ENABLED=1 go build -trimpath -ldflags "$link" -o "$kit/bin/gpukit" ./test/gpu/kit
cp "$TUTTI_DEPS/bin/ffmpeg" "$kit/bin/"

echo "gpukit: test programs"
for package in $("$kit/bin/gpukit" packages); do
	mkdir -p "$kit/tests/$package"
	go test -c -trimpath -ldflags '-s -w' -o "$kit/tests/$package/$(basename "$package").test" "./$package"
done
# Clips that no encoder of ours can make.
for folder in transcoder/libav/testdata transcoder/devices/clips; do
	mkdir -p "$kit/tests/$folder"
	git ls-files -- "$folder" | grep -E '\.(ts|mp4|webm|mkv)$' |
		while read -r file; do install -D -m 644 "$file" "$kit/tests/$file"; done
done

echo "gpukit: the simulated driver"
TUTTI_GPUKIT_FAKE=$kit/fake TUTTI_GPUKIT_LIB=$kit/lib go test -count=1 -run '^TestLibrariesForTheKit$' ./test/gpu/kit \
	>"$work/log" || { cat "$work/log"; exit 1; }
strip "$kit"/fake/*.so* "$kit"/lib/*.so

cp test/gpu/kit/gpukit.sh "$kit/gpukit.sh"
cp LICENSE "$kit/LICENSE"
cp test/gpu/kit/README.txt "$kit/README.txt"
echo "$version" >"$kit/VERSION"
find "$kit" -type d -exec chmod 755 {} + -o -type f ! -perm -u+x -exec chmod 644 {} +

echo "gpukit: packing $(du -sm "$kit" | cut -f1) MB"
mkdir -p "$out"
rm -f "$out"/tutti-gpukit-*
# The same parts of libav in several programs are packed once: the window spans them all.
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime='2000-01-01 00:00Z' -cf - tutti-gpukit |
	xz --threads=1 --lzma2=preset=6,dict=512MiB >"$out/$name.tar.xz"
(cd "$out" && sha256sum "$name.tar.xz" >"$name.tar.xz.sha256")
size=$(stat -c %s "$out/$name.tar.xz")
[ "$size" -le "$most" ] || { echo "gpukit: the archive has $size bytes, over $most" >&2; exit 1; }
echo "gpukit: $out/$name.tar.xz, $((size / 1000)) kB"
