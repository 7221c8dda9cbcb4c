# Building for another kind of machine: TUTTI_TARGET names a file in target/, and
# everything else (prefix, caches, environment) is that target's own. The
# compiler comes as the distribution's packages, unpacked into the cache and
# never installed. Sourced by deps.sh.

# load_target: read the file that TUTTI_TARGET names. Without one, triple is empty,
# and the recipes build for this machine.
load_target() {
	TARGET=${TUTTI_TARGET:-}
	triple=
	[ -n "$TARGET" ] || return 0
	[ -e "$HERE/target/$TARGET.sh" ] || die "there is no target $TARGET" \
		"TUTTI_TARGET is one of: $(cd "$HERE/target" && echo *.sh | sed 's/\.sh//g')"
	# shellcheck source=/dev/null
	. "$HERE/target/$TARGET.sh"
	CROSS_DIR=$CACHE/cross/$TARGET-$(cross_key)
}

# cross_key: the compiler's version is the distribution's, so that counts too.
cross_key() {
	{
		uname -m
		sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
		echo "$cross_packages"
		cat "$HERE/cross.sh"
	} | sha256sum | cut -c1-16
}

# ensure_cross: the target's compiler is in the cache.
ensure_cross() {
	[ -z "$TARGET" ] || [ -e "$CROSS_DIR/VERSIONS" ] || locked make_cross
}

make_cross() {
	[ ! -e "$CROSS_DIR/VERSIONS" ] || return 0
	: >"$LOG"
	say "deps: getting a compiler for $TARGET once, into $CROSS_DIR (log: $LOG)"
	# shellcheck disable=SC2086
	(unpacked "$CROSS_DIR" "$cross_packages" compiler_finds_itself)
}

# compiler_finds_itself: a compiler in the tree, work/tree, that looks there for headers
# and libraries and never in this machine's own, and is called what the triple says.
compiler_finds_itself() {
	mkdir "$work/tree/bin"
	if [ -n "${cross_suffix:-}" ]; then
		for path in "$work/tree/usr/bin/$triple-"*"$cross_suffix"; do
			name=${path##*/}
			ln -s "../usr/bin/$name" "$work/tree/bin/${name%"$cross_suffix"}"
		done
	fi
	[ -n "${cross_sysroot:-}" ] || return 0
	cat >"$work/tree/bin/$triple-gcc" <<-SH
		#!/bin/sh
		root=\$(cd "\$(dirname "\$0")/.." && pwd)
		exec "\$root/usr/bin/$triple-gcc" --sysroot="\$root" "\$@"
	SH
	chmod +x "$work/tree/bin/$triple-gcc"
}

# cross_env: what a build for the target sees.
cross_env() {
	[ -n "$TARGET" ] || return 0
	PATH=$CROSS_DIR/bin:$CROSS_DIR/usr/bin:$PATH
	LD_LIBRARY_PATH=$(cross_libraries)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
	export PATH LD_LIBRARY_PATH
}

# cross_libraries: those of the compiler itself that this machine lacks.
cross_libraries() {
	for dir in "$CROSS_DIR"/usr/lib/*-linux-gnu; do printf '%s:' "$dir"; done | sed 's/:$//'
}

# meson_file: print what meson wants to know about the target.
meson_file() {
	cat <<-INI
		[binaries]
		c = '$triple-gcc'
		ar = '$triple-ar'
		strip = '$triple-strip'
		nm = '$triple-nm'
		pkg-config = 'pkg-config'
		${windres:+windres = '$windres'}
		[host_machine]
		system = '$meson_system'
		cpu_family = '$meson_cpu'
		cpu = '$meson_cpu'
		endian = 'little'
	INI
}
