#!/usr/bin/env bash
# Everything a build needs that is not in this tree: a libav prefix and a Go
# toolchain, in a cache outside the tree that every clone shares.
#
#   deps.sh ensure          get what is missing (make deps)
#   deps.sh env             print the exports for a shell: eval "$(make -s env)"
#   deps.sh exec COMMAND... ensure, then run COMMAND with that environment
#   deps.sh prebuilt        get the libav prefix of a release, or fail where none is offered
#   deps.sh engine          get a Docker Engine for tests, print where it is
#   deps.sh browser         get a browser for tests, print where it is
#   deps.sh llama           get a llama.cpp server and print where it is
#   deps.sh lab             get what tests of several machines need, where root may
#   deps.sh prometheus      get a Prometheus for tests, print where it is
#   deps.sh postgres        get a PostgreSQL server for tests, print where it is
#   deps.sh kubernetes      build an API server of Kubernetes for tests, print where it is
#   deps.sh nfpm            get what writes debs and rpms, print where it is
#   deps.sh judges          get systemd-analyze and rpm for tests, print where
#   deps.sh wine            get Wine for smoke tests, print what runs it
#   deps.sh image ARCH      get what an image for ARCH holds, print where
#   deps.sh xz              get what the GPU kit is packed with
#   deps.sh bare            get what makes a bare system to rehearse in
#   deps.sh npm DIR         get the packages of DIR's lock file and print where
#
# TUTTI_CACHE  where the cache is (default ~/.cache/tutti)
# TUTTI_DEPS   a libav prefix of your own to use instead of building one
# TUTTI_PREBUILT a file, folder or address with the libav prefix of a release; 'never' builds it
# TUTTI_TARGET another kind of machine to build for: a file's name in target/
# TUTTI_GOCACHE another place for what Go compiles
# TUTTI_JOBS   parallel compilations (default: one per core)
# TUTTI_APT_KEYRING  keyring that signs your mirror (default: Debian's)
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
RECIPE=$HERE/recipe
CACHE=${TUTTI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tutti}
LOG=$CACHE/deps.log
REMEDY=

for part in lib tools apt pins prebuilt unpacked build cross check go llama npm engine browser postgres prometheus \
	kubernetes packaging wine; do
	# shellcheck source=/dev/null
	. "$HERE/$part.sh"
done

# recipe_key: changes whenever what would be built changes.
recipe_key() {
	{
		(cd "$RECIPE" && uname -m && sha256sum -- *)
		[ -z "$TARGET" ] || echo "$TARGET" "$(sha256sum <"$HERE/target/$TARGET.sh")" "$CROSS_DIR"
	} | sha256sum | cut -c1-16
}

# locate: set PREFIX_DIR, KEY and whether it is the user's own.
locate() {
	OWN=
	load_target
	# A prefix of ours that 'make env' exported earlier is not the user's choice:
	# the recipe may have changed since.
	if [ -z "$TARGET" ] && [ -n "${TUTTI_DEPS:-}" ] && [ "${TUTTI_DEPS#"$CACHE/deps/"}" = "$TUTTI_DEPS" ]; then
		OWN=yes
		PREFIX_DIR=$TUTTI_DEPS
		KEY=$(cd "$PREFIX_DIR" 2>/dev/null && stat -c '%n %s %Y' "$PWD" lib/*.a lib/*.so 2>/dev/null | sha256sum |
			cut -c1-16) || true
	else
		KEY=$(recipe_key)
		PREFIX_DIR=$CACHE/deps/$KEY
	fi
}

# locked COMMAND...: only one at a time among all clones that share the cache.
locked() {
	mkdir -p "$CACHE/deps" "$CACHE/go"
	exec 9>"$CACHE/lock"
	if ! flock -n 9; then
		say "deps: another build is going on in $CACHE; waiting for it"
		flock 9
	fi
	"$@" 9>&-
	exec 9>&-
}

ensure() {
	locate
	ensure_cross
	if [ -n "$OWN" ]; then
		[ -d "$PREFIX_DIR" ] || die "TUTTI_DEPS is $PREFIX_DIR, which is no directory" \
			"Unset it to let 'make deps' build one."
		need_tools "$compile_needs"
		check_prefix "$PREFIX_DIR"
	elif [ ! -d "$PREFIX_DIR" ]; then
		locked make_prefix
	else
		need_tools "$compile_needs"
	fi
	find_go || locked make_go
}

# The temporary directories of runs that were killed are cleared by the next one
# that holds the lock.
make_prefix() {
	[ ! -d "$PREFIX_DIR" ] || return 0
	rm -rf "$CACHE"/deps/.build-*
	: >"$LOG"
	need_tools "$compile_needs"
	offered "$PREFIX_DIR" || build_it
}

# offered PREFIX: in a shell of its own; what is wrong with an archive ends this one as well.
offered() {
	local code=0
	(take_prebuilt "$1" || exit 4) || code=$?
	case $code in
	0) return 0 ;;
	4) return 1 ;;
	*) exit "$code" ;;
	esac
}

build_it() {
	say "deps: building the libav prefix once, in $CACHE (log: $LOG)"
	(build_prefix "$PREFIX_DIR")
}

make_go() {
	! find_go || return 0
	rm -rf "$CACHE"/go/.boot-*
	say "deps: no Go that is new enough here; getting $GO_FETCH into $CACHE (log: $LOG)"
	(bootstrap_go)
	find_go || die "the fetched Go ($GO_FETCH) does not run, or go.mod asks for a newer one" \
		"See $LOG and GO_FETCH in deploy/deps/go.sh."
}

# set_env: what a command needs. PKG_CONFIG_LIBDIR is exclusive, unlike _PATH, so
# that a library missing from the prefix is an error and not the system's own.
# Go does not notice changed C libraries: its cache is one per prefix.
set_env() {
	export TUTTI_DEPS=$PREFIX_DIR
	export PKG_CONFIG_LIBDIR=$PREFIX_DIR/lib/pkgconfig
	export PKG_CONFIG_PATH=
	export CGO_ENABLED=${CGO_ENABLED:-1}
	export GOCACHE=${TUTTI_GOCACHE:-$CACHE/gobuild/$KEY}
	export GO
	cross_env
	if [ -n "$TARGET" ]; then
		export CC="$triple-gcc" AR="$triple-ar" GOOS=$goos GOARCH=$goarch
	fi
	# make build stamps the version itself; Go's own stamping fails in a clone
	# that belongs to another user.
	case " ${GOFLAGS:-} " in
	*' -buildvcs='*) ;;
	*) export GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false" ;;
	esac
	# With paths in it, what is compiled serves one folder only: a clone elsewhere, as CI
	# makes one each time, would find nothing of ours in the cache.
	case " $GOFLAGS " in
	*' -trimpath'*) ;;
	*) export GOFLAGS="$GOFLAGS -trimpath" ;;
	esac
	[ "$(command -v go || true)" = "$GO" ] || PATH=${GO%/*}:$PATH
}

print_env() {
	set_env
	names="TUTTI_DEPS PKG_CONFIG_LIBDIR PKG_CONFIG_PATH CGO_ENABLED GOCACHE GOFLAGS GO PATH"
	[ -z "$TARGET" ] || names="$names CC AR GOOS GOARCH LD_LIBRARY_PATH"
	for name in $names; do
		printf 'export %s=%q\n' "$name" "${!name}"
	done
}

case ${1:-} in
ensure)
	ensure
	say "deps: ready: $PREFIX_DIR, $("$GO" env GOVERSION) ($GO)"
	;;
env)
	ensure
	print_env
	;;
prebuilt)
	locate
	mkdir -p "$CACHE/deps"
	: >"$LOG"
	[ -d "$PREFIX_DIR" ] || offered "$PREFIX_DIR" || die "no release offers $(prebuilt_name)" \
		"Set TUTTI_PREBUILT, or let 'make deps' build it."
	printf '%s\n' "$PREFIX_DIR"
	;;
llama)
	ensure_llama
	printf '%s\n' "$LLAMA_DIR"
	;;
lab)
	! can_be_root || need_tools "$lab_needs"
	;;
xz)
	need_tools "$pack_needs"
	;;
bare)
	need_tools "$bare_needs"
	;;
npm)
	ensure_npm "$2"
	printf '%s\n' "$NPM_DIR"
	;;
exec)
	shift
	ensure
	set_env
	exec "$@"
	;;
engine)
	engine
	;;
browser)
	browser
	;;
postgres)
	postgres
	;;
prometheus)
	prometheus
	;;
kubernetes)
	kubernetes
	;;
nfpm)
	ensure_nfpm
	;;
judges)
	ensure_judges
	;;
wine)
	wine
	;;
image)
	image_parts "$2"
	;;
*)
	sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}" >&2
	exit 2
	;;
esac
