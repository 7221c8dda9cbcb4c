# Packages and sources of another Debian release, through apt and checked by its
# signatures, without touching the system's own lists. Sourced by deps.sh.
#
# Where the archive is comes from the machine's own apt configuration, so a
# mirror or a proxy that works for the machine works here.

# archive SUFFIX: the address this machine takes SUITE$SUFFIX of Debian from.
# apt itself parses its files, deb822 or one-line. Others' archives may have a
# suite of the same name, so one whose path says debian goes first.
archive() {
	# shellcheck disable=SC2016 # apt's variables, not the shell's
	apt-get indextargets --no-release-info --format '$(CREATED_BY)|$(RELEASE)|$(COMPONENT)|$(REPO_URI)' 2>/dev/null |
		awk -F'|' -v suffix="$1" '
			$1 == "Packages" && $3 == "main" && $2 ~ ("^(bookworm|trixie|forky|stable|oldstable|testing)" suffix "$") {
				if (!first) first = $4
				if (!named && $4 ~ /debian[^\/]*\/$/) named = $4
			}
			END { print named ? named : first }'
}

# private_apt DIR RELEASE [LATE]: set up and fetch RELEASE's lists under DIR. With
# LATE they may be older than the release promises, as those of a mirror that is
# behind are: signatures are checked all the same.
private_apt() {
	APT_DIR=$1
	release=$2
	late=${3:-}
	main=$(archive '')
	[ -n "$main" ] || die \
		"apt on this machine names no Debian archive (looked for the main component of a release in /etc/apt)." \
		"Add one to /etc/apt/sources.list.d, or point TUTTI_DEPS to a prefix of your own."
	security=$(archive '-security')
	keyring=${TUTTI_APT_KEYRING:-/usr/share/keyrings/debian-archive-keyring.gpg}
	mkdir -p "$APT_DIR/lists/partial" "$APT_DIR/cache/archives/partial" "$APT_DIR/parts"
	{
		source_entry "$main" "$release" "$keyring"
		[ -z "$security" ] || source_entry "$security" "$release-security" "$keyring"
	} >"$APT_DIR/tutti.sources"
	# The machine's own settings (proxies, timeouts) stay; its lists, pins, hooks
	# and the indexes nobody reads here do not.
	cat >"$APT_DIR/apt.conf" <<-CONF
		Dir::Etc::sourcelist "$APT_DIR/tutti.sources";
		Dir::Etc::sourceparts "$APT_DIR/parts";
		Dir::Etc::preferences "$APT_DIR/none";
		Dir::Etc::preferencesparts "$APT_DIR/parts";
		Dir::State::lists "$APT_DIR/lists";
		Dir::Cache "$APT_DIR/cache";
		APT::Sandbox::User "$(id -un)";
		APT::Update::Error-Mode "any";
		APT::Get::AllowUnauthenticated "false";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled "false";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	CONF
	# Another kind of machine's packages, if those are wanted.
	[ -z "${APT_ARCH:-}" ] || printf 'APT::Architecture "%s";\nAPT::Architectures { "%s"; };\n' "$APT_ARCH" "$APT_ARCH" \
		>>"$APT_DIR/apt.conf"
	[ -z "$late" ] || echo 'Acquire::Check-Valid-Until "false";' >>"$APT_DIR/apt.conf"
	REMEDY="Can this machine reach its Debian archive? Check with 'apt-get update', then run 'make deps' again. \
If the log names a missing key (NO_PUBKEY): apt-get install --only-upgrade debian-archive-keyring"
	step "package lists of Debian $release" apt-get -c "$APT_DIR/apt.conf" update
	REMEDY=
}

# source_entry ADDRESS SUITE KEYRING
source_entry() {
	printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: main\n' "$1" "$2"
	[ ! -e "$3" ] || printf 'Signed-By: %s\n' "$3"
	echo
}

# source_versions PACKAGE PREFIX: those whose upstream part begins so, newest last.
source_versions() {
	apt-cache -c "$APT_DIR/apt.conf" showsrc "$1" | awk -v p="$1" \
		'$1 == "Package:" { ours = $2 == p } ours && $1 == "Version:" { print $2 }' |
		with_prefix "$2"
}

# package_version PACKAGE PREFIX
package_version() {
	apt-cache -c "$APT_DIR/apt.conf" show "$1" | awk '$1 == "Version:" { print $2 }' | with_prefix "$2" | tail -n 1
}

with_prefix() {
	awk -v prefix="$1" '{ upstream = $1; sub(/^[0-9]+:/, "", upstream) } index(upstream, prefix) == 1' | sort -V -u
}

# fetch_source DIR PACKAGE VERSION FULL|ORIGINAL: FULL has Debian's patches, which
# is where security fixes between releases come from. What comes must be pinned.
fetch_source() {
	mkdir -p "$1"
	version=$(source_versions "$2" "$3" | awk -v wanted="$3" '{ bare = $1; sub(/^[0-9]+:/, "", bare) } bare == wanted')
	[ -n "$version" ] || die "the archive has no $2 $3" "$pin_remedy"
	REMEDY="Can this machine reach its Debian archive? Check with 'apt-get update', then run 'make deps' again."
	case $4 in
	FULL) step "source of $2 $version" in_dir "$1" apt-get -c "$APT_DIR/apt.conf" source --download-only "$2=$version" ;;
	ORIGINAL) step "source of $2 $version" in_dir "$1" fetch_original "$2" "$3" ;;
	esac
	REMEDY=
	check_pins "$1"
	echo "$2 $version" >>"$VERSIONS"
}

# fetch_original PACKAGE VERSION: revisions of one upstream version share its
# tarball, and a mirror that is behind may have it under an older one only.
fetch_original() {
	for revision in $(source_versions "$1" "${2%-*}" | tac); do
		! apt-get -c "$APT_DIR/apt.conf" source --download-only --tar-only "$1=$revision" || return 0
	done
	return 1
}

# fetch_package DIR PACKAGE PREFIX: the package's files, unpacked under DIR.
fetch_package() {
	mkdir -p "$1"
	version=$(package_version "$2" "$3")
	[ -n "$version" ] || die "the archive has no $2 $3*" "deploy/deps/recipe/versions says what is wanted."
	REMEDY="Can this machine reach its Debian archive? Check with 'apt-get update', then run 'make deps' again."
	step "package $2 $version" in_dir "$1" apt-get -c "$APT_DIR/apt.conf" download "$2=$version"
	REMEDY=
	[ -z "${PINNED:-}" ] || check_pins "$1"
	step "unpacking $2" dpkg-deb -x "$1"/"$2"_*.deb "$1"
	rm -f "$1"/"$2"_*.deb
	echo "$2 $version" >>"$VERSIONS"
}

in_dir() { (cd "$1" && shift && "$@"); }
