# Wine, which runs programs for Windows here: Debian's own packages, unpacked into the
# cache and never installed. Sourced by deps.sh; deploy/nfpm/winesmoke.sh runs what
# `deps.sh wine` prints.

wine_key() {
	{
		uname -m
		sed -n 's/^VERSION_CODENAME=//p' /etc/os-release
		cat "$HERE/wine.sh"
	} | sha256sum | cut -c1-16
}

# wine: print a program that runs others under Wine, getting it first if need be.
wine() {
	WINE_DIR=$CACHE/wine/$(wine_key)
	[ -e "$WINE_DIR/VERSIONS" ] || locked make_wine
	printf '%s\n' "$WINE_DIR/run"
}

make_wine() {
	[ ! -e "$WINE_DIR/VERSIONS" ] || return 0
	: >"$LOG"
	say "deps: getting Wine once, into $WINE_DIR (log: $LOG)"
	(unpacked "$WINE_DIR" "wine64 libwine" wine_finds_itself)
}

# wine_finds_itself: Debian's Wine knows its places below /usr. Programs for 32 bits are
# left out, and the library that it shares with the compiler's packages is put beside
# its own.
wine_finds_itself() {
	modules=$(dirname "$(find "$work/tree/usr/lib" -type d -name x86_64-windows)")
	rm -rf "$modules/i386-windows"
	ln -sf wineserver64 "$work/tree/usr/lib/wine/wineserver"
	cp "$work/tree/usr/x86_64-w64-mingw32/lib/zlib1.dll" "$modules/x86_64-windows/"
	rm -rf "$work/tree/usr/i686-w64-mingw32" "$work/tree/usr/x86_64-w64-mingw32"
	cat >"$work/tree/run" <<-'RUN'
		#!/bin/sh
		here=$(cd "$(dirname "$0")" && pwd)
		libraries=$here/usr/lib/x86_64-linux-gnu
		export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" WINEDLLPATH="$libraries/wine"
		export WINEDEBUG="${WINEDEBUG:--all}" WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe="
		exec "$here/usr/lib/wine/wine64" "$@"
	RUN
	chmod +x "$work/tree/run"
}
