# A real model server for tests and for `make run`: llama.cpp from a newer Debian
# release, unpacked into the cache and never installed. Sourced by deps.sh.

# The release that has it. Its packages move on; whatever version it has is taken
# and written down in VERSIONS.
LLAMA_RELEASE=forky

# The server, and the libraries it needs of its own release: it runs on its own
# dynamic loader, so the machine's libraries do not matter.
llama_packages='llama.cpp-tools libllama0 libggml0 libc6 libstdc++6 libgcc-s1 libgomp1 libssl3t64 libzstd1 zlib1g'

llama_dir() { echo "$CACHE/llama/$LLAMA_RELEASE-$(dpkg --print-architecture)"; }

# ensure_llama: set LLAMA_DIR to a tree that has usr/bin/llama-server.
ensure_llama() {
	LLAMA_DIR=$(llama_dir)
	[ -x "$LLAMA_DIR/usr/bin/llama-server" ] || locked make_llama
}

make_llama() {
	[ ! -x "$LLAMA_DIR/usr/bin/llama-server" ] || return 0
	mkdir -p "$CACHE/llama"
	rm -rf "$CACHE"/llama/.get-*
	say "deps: getting a llama.cpp server once, into $LLAMA_DIR"
	(get_llama)
}

get_llama() {
	work=$(mktemp -d "$CACHE/llama/.get-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	mkdir "$work/tree"
	VERSIONS=$work/tree/VERSIONS
	private_apt "$work/apt" "$LLAMA_RELEASE" LATE
	for package in $llama_packages; do
		fetch_package "$work/tree" "$package" ''
	done
	rm -rf "$work/tree/usr/share"
	rm -rf "$LLAMA_DIR"
	mv "$work/tree" "$LLAMA_DIR"
}
