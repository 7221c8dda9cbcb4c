# The distribution's packages that building needs. Sourced by deps.sh.

# Each line: what must be there (a command, or a header), then its package.
compile_needs='
command gcc gcc
header stdio.h libc6-dev
command pkg-config pkg-config
command git git
'
build_needs='
command make make
command nasm nasm
command clang clang
command meson meson
command ninja ninja-build
command dpkg-source dpkg-dev
command patch patch
command xz xz-utils
command bzip2 bzip2
header zlib.h zlib1g-dev
'

# What makes the hosts that tests of several machines run on, which takes root to use,
# and what the guides' commands are run with.
lab_needs='
command ip iproute2
command curl curl
command python3 python3
'

# What the GPU kit is packed with, and what a bare system to rehearse in is made with.
pack_needs='
command xz xz-utils
command strip binutils
'
bare_needs='
command debootstrap debootstrap
command ip iproute2
command unshare util-linux
command xz xz-utils
'

certificates='
file /etc/ssl/certs/ca-certificates.crt ca-certificates
'

have() {
	case $1 in
	command) command -v "$2" >/dev/null ;;
	header) command -v gcc >/dev/null && echo "#include <$2>" | gcc -E -x c - >/dev/null 2>&1 ;;
	file) [ -e "$2" ] ;;
	esac
}

# missing NEEDS: the packages to install, in one line.
missing() {
	printf '%s\n' "$1" | while read -r kind what package; do
		[ -z "$kind" ] || have "$kind" "$what" || printf '%s ' "$package"
	done
}

# need_tools NEEDS: install what is missing, or say how.
need_tools() {
	wanted=$(missing "$1")
	[ -n "$wanted" ] || return 0
	# shellcheck disable=SC2086
	set -- $wanted
	if ! command -v apt-get >/dev/null; then
		die "these tools are missing, and this is not a Debian system: $*" \
			"Install them, or point TUTTI_DEPS to a prefix of your own (see 'make help')."
	fi
	if ! can_be_root; then
		die "build tools are missing, and installing them needs root." \
			"Run:  sudo apt-get update && sudo apt-get install -y --no-install-recommends $*" "then  make deps"
	fi
	REMEDY="Is the package archive reachable? Try: apt-get update && apt-get install --no-install-recommends $*"
	step "package lists" refresh_lists
	step "installing $# packages" as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
		"$@"
	REMEDY=
}

# A list of someone else's that cannot be reached does not matter here: whether
# the packages can be had, installing them tells.
refresh_lists() { as_root apt-get update || echo "some lists could not be had; going on with the rest"; }
