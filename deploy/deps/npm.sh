# Node.js packages that tests use, in the cache. Sourced by deps.sh.

node_needs='
command node nodejs
command npm npm
'

# ensure_npm DIR: set NPM_DIR to a copy of DIR's package files with node_modules
# beside them, exactly as its lock file says.
ensure_npm() {
	NPM_DIR=$CACHE/npm/$(cat "$1/package.json" "$1/package-lock.json" | sha256sum | cut -c1-16)
	[ -d "$NPM_DIR/node_modules" ] && command -v node >/dev/null || locked make_npm "$1"
}

make_npm() {
	need_tools "$node_needs"
	[ ! -d "$NPM_DIR/node_modules" ] || return 0
	mkdir -p "$CACHE/npm"
	rm -rf "$CACHE"/npm/.get-*
	work=$(mktemp -d "$CACHE/npm/.get-XXXXXX")
	cp "$1/package.json" "$1/package-lock.json" "$work"
	REMEDY="npm fetches them from its registry: is that reachable? Its own configuration (npm config list) is honored."
	step "packages of $(basename "$1")" in_dir "$work" npm ci --ignore-scripts --no-audit --no-fund
	REMEDY=
	rm -rf "$NPM_DIR"
	mv "$work" "$NPM_DIR"
}
