# An API server of Kubernetes, its controllers and etcd for tests: built once from their
# modules, at the version that deploy/deps/kubernetes/go.mod names. Sourced by deps.sh;
# test/kubernetes runs what is in $CACHE/kubernetes/current.

kubernetes_key() {
	{
		uname -m
		(cd "$HERE/kubernetes" && cat go.mod go.sum etcd/main.go)
		cat "$HERE/kubernetes.sh"
	} | sha256sum | cut -c1-16
}

# kubernetes: print the directory with the three programs, building them first if need be.
kubernetes() {
	mkdir -p "$CACHE/kubernetes"
	tree=$CACHE/kubernetes/$(kubernetes_key)
	[ -d "$tree" ] || locked make_kubernetes "$tree"
	# Replaced at once: tests of another clone may be reading it.
	ln -sfn "${tree##*/}" "$CACHE/kubernetes/.current-$$"
	mv -Tf "$CACHE/kubernetes/.current-$$" "$CACHE/kubernetes/current"
	echo "$tree"
}

make_kubernetes() {
	[ ! -d "$1" ] || return 0
	find_go || make_go
	rm -rf "$CACHE"/kubernetes/.build-*
	: >"$LOG"
	say "deps: building an API server of Kubernetes for tests once, into $CACHE (log: $LOG)"
	(build_kubernetes "$1")
}

build_kubernetes() {
	tree=$1
	work=$(mktemp -d "$CACHE/kubernetes/.build-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	mkdir "$work/tree"
	version=$(awk '$1 == "k8s.io/kubernetes" { print $2; exit }' "$HERE/kubernetes/go.mod")
	REMEDY="Go fetches its parts through its module proxy: is that reachable? GOPROXY and HTTPS_PROXY are honored."
	step "etcd" kubernetes_go ./etcd
	step "kube-apiserver $version" kubernetes_go k8s.io/kubernetes/cmd/kube-apiserver
	step "kube-controller-manager $version" kubernetes_go k8s.io/kubernetes/cmd/kube-controller-manager
	REMEDY=
	rm -rf "$tree"
	mv "$work/tree" "$tree"
	say "deps: done: $(du -sh "$tree" | cut -f1) in $tree"
}

# kubernetes_go PACKAGE: what Go compiles on the way is 2 GB, which nothing else shares, so
# it is not kept.
kubernetes_go() {
	in_dir "$HERE/kubernetes" env -u GOOS -u GOARCH -u CC GOFLAGS=-mod=readonly GOWORK=off CGO_ENABLED=0 \
		GOCACHE="$work/gobuild" "$GO" build -trimpath -buildvcs=false \
		-ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" -o "$work/tree/" "$1"
}
