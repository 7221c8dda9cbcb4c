#!/usr/bin/env bash
# Runs the newest archive for Windows under Wine: versions, a configuration, what is
# refused, and a node that transcodes what a gateway of this machine sends it, drains and
# ends.
#
#   winesmoke.sh PACKAGES    the folder that windows.sh wrote to
#
# Wine has no GPUs and is no Windows: this finds what does not start, not what differs.
set -euo pipefail
packages=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tree=$(cd "$here/../.." && pwd)
deps=$tree/deploy/deps/deps.sh
archive=$(ls -t "$packages"/tutti-*-windows-amd64.zip 2>/dev/null | head -n 1)
[ -n "$archive" ] || { echo "winesmoke: no archive in $packages: make windows" >&2; exit 1; }
(cd "$packages" && sha256sum -c --quiet SHA256SUMS-windows-amd64)

work=$(mktemp -d)
node= gateway=
finish() {
	status=$?
	[ -z "$gateway" ] || kill "$gateway" 2>/dev/null || true
	[ -z "$node" ] || kill "$node" 2>/dev/null || true
	wait
	[ "$status" = 0 ] || tail -n 20 "$work"/*.log 2>/dev/null
	rm -rf "$work"
	exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

wine=$("$deps" wine)
export WINEPREFIX=$work/prefix
python3 -m zipfile -e "$archive" "$work/programs" # meson, which built FFmpeg, needs it too
programs=$(echo "$work/programs"/tutti-*)
"$wine" wineboot -i >"$work/wine.log" 2>&1 || true
system=$WINEPREFIX/drive_c/windows/system32
if [ ! -e "$system/bcryptprimitives.dll" ]; then
	TUTTI_TARGET=windows-amd64 "$deps" exec x86_64-w64-mingw32-gcc -shared -o "$system/bcryptprimitives.dll" \
		"$here/wine/processprng.c" -ladvapi32
fi
libav=$("$deps" exec bash -c 'echo "$TUTTI_DEPS"')
# A user's directory that is not this machine's, and no console.
export HOME=$work
tutti() { timeout 60 "$wine" "$programs/tutti.exe" "$@" </dev/null 2>&1 | tr -d '\r'; }
tutti_cli() { timeout 60 "$wine" "$programs/tutti_cli.exe" --http 17935 --dataDir "Z:${work//\//\\}\\data" "$@" \
	</dev/null 2>&1 | tr -d '\r'; }
tutti_bench() { timeout 60 "$wine" "$programs/tutti_bench.exe" "$@" </dev/null 2>&1 | tr -d '\r'; }
# says WHAT TEXT COMMAND...: the command's output has the text.
says() {
	what=$1 text=$2
	shift 2
	out=$("$@" || true)
	grep -qF -- "$text" <<<"$out" || { echo "winesmoke: $what: no '$text' in: $out" >&2; exit 1; }
	echo "winesmoke: ok: $what"
}
says 'tutti -version' 'Operating system: windows' tutti -version
says 'tutti config check' 'The configuration is valid.' tutti config check -orchestrator -transcoder -network offchain \
	-serviceAddr 127.0.0.1:18935
says '-aiWorker is refused' 'AI models run on Linux only' tutti -aiWorker -orchAddr 127.0.0.1:1 \
	-orchSecret of-some-length-for-this -aiModels none.json
says 'tutti_bench -help' '-walk' tutti_bench -help

"$wine" "$programs/tutti.exe" -orchestrator -transcoder -network offchain -serviceAddr 127.0.0.1:18935 \
	-httpAddr 127.0.0.1:18935 \
	-cliAddr 127.0.0.1:17935 -dataDir "Z:${work//\//\\}\\data" >"$work/node.log" 2>&1 </dev/null &
node=$!
# answers COMMAND...: it succeeds within a minute.
answers() {
	for _ in $(seq 120); do
		! "$@" >/dev/null 2>&1 || return 0
		kill -0 "$node" 2>/dev/null || { echo 'winesmoke: the node ended' >&2; exit 1; }
		sleep 0.5
	done
	echo "winesmoke: no answer: $*" >&2
	exit 1
}
answers curl -skf -m 5 https://127.0.0.1:18935/status
echo 'winesmoke: ok: /status'
"$tree/bin/tutti" -gateway -network offchain -orchAddr 127.0.0.1:18935 -httpAddr 127.0.0.1:19935 \
	-cliAddr 127.0.0.1:15935 \
	-rtmpAddr 127.0.0.1:0 -dataDir "$work/gateway" >"$work/gateway.log" 2>&1 &
gateway=$!
answers curl -sf -m 5 http://127.0.0.1:15935/api/v1/node
"$libav/bin/ffmpeg" -nostdin -v error -f lavfi -i testsrc2=size=640x360:rate=30 -t 2 -c:v libx264 -preset veryfast \
	-g 60 -f mpegts "$work/0.ts"
code=$(curl -s -m 60 -o "$work/answer" -w '%{http_code}' -X POST -H 'Accept: multipart/mixed' \
	-H 'Content-Duration: 2000' \
	--data-binary @"$work/0.ts" http://127.0.0.1:19935/live/wine/0.ts)
[ "$code" = 200 ] && [ "$(grep -ac 'Rendition-Name' "$work/answer")" -ge 1 ] ||
	{ echo "winesmoke: the push answered $code" >&2; exit 1; }
echo 'winesmoke: ok: a segment went through'
says 'tutti_cli reload' 'nothing' tutti_cli reload --yes
says 'tutti_cli upgrade is refused' 'UpgradeRefused' tutti_cli upgrade --yes
says 'tutti_cli drain' 'drain' tutti_cli drain --yes
# Wine makes a console's Ctrl-C of it.
kill -INT "$node"
wait "$node" || { echo "winesmoke: the node ended with $?" >&2; node=; exit 1; }
node=
grep -q 'draining' "$work/node.log"
echo 'winesmoke: ok: Ctrl-C drains and ends with status 0'
