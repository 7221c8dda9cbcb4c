# A libav prefix that was built for a release, so that a first build need not compile
# FFmpeg. Sourced by deps.sh. `make packages` writes it as $(prebuilt_name); the file
# `prebuilt` beside this one says by hash which ones are taken, and from where.

# prebuilt_name: the key in it is that of the recipe, so another recipe never takes it.
prebuilt_name() { printf 'tutti-libav-%s.tar.gz' "$KEY"; }

# take_prebuilt PREFIX: put it there, or return 1 where none is offered. One that is
# offered and is not what it should be is an error, and never a reason to go on. Its
# return value is asked for, so `set -e` does nothing in here.
take_prebuilt() {
	name=$(prebuilt_name)
	pinned=$(awk -v name="/$name" \
		'$1 !~ /^#/ && substr($2, length($2) - length(name) + 1) == name { print $1, $2; exit }' "$HERE/prebuilt")
	from=${TUTTI_PREBUILT:-${pinned#* }}
	case $from in
	'' | never) return 1 ;;
	esac
	work=$(mktemp -d "$CACHE/deps/.build-XXXXXX")
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' INT TERM
	get_prebuilt "$from" || return 1
	check_prebuilt
	mkdir "$work/prefix" || exit 1
	REMEDY="Fetch $name again, or set TUTTI_PREBUILT=never to build it here."
	step "unpacking $name" tar -xzf "$work/$name" --no-same-owner --strip-components=1 -C "$work/prefix"
	REMEDY=
	check_prefix "$work/prefix"
	if [ -z "$TARGET" ] && ! "$work/prefix/bin/ffmpeg" -version >>"$LOG" 2>&1; then
		say "deps: $name was built for a newer system than this one; building it here"
		return 1
	fi
	rm -rf "$1"
	mv "$work/prefix" "$1" || exit 1
	say "deps: done: $name, built before: $(du -sh "$1" | cut -f1) in $1"
}

# get_prebuilt FROM: the archive into $work. A path is the user's own word; what comes
# over a network has to be pinned. apt-helper is part of every Debian, as curl is not.
get_prebuilt() {
	case $1 in
	http://* | https://*)
		[ -n "$pinned" ] || die "$name is not pinned in deploy/deps/prebuilt, so it is not fetched" \
			"Fetch it yourself, compare it with the SHA256SUMS of the release and set TUTTI_PREBUILT to the file, \
or to 'never' to build it here."
		url=$1
		[ "${url%.tar.gz}" != "$url" ] || url=${url%/}/$name
		if ! fetch_url "$url" "$work/$name"; then
			say "deps: $url cannot be had (see $LOG); building it here"
			return 1
		fi
		;;
	*)
		file=$1
		[ ! -d "$file" ] || file=$file/$name
		[ -f "$file" ] || die "TUTTI_PREBUILT is $1, which has no $name" \
			"Name the file, or the folder it is in. Of another recipe's archive nothing can be used: \
take the one of this release, or unset TUTTI_PREBUILT."
		[ "${file##*/}" = "$name" ] || die "TUTTI_PREBUILT is $1, and this tree needs $name" \
			"Take the one of this release, or unset TUTTI_PREBUILT."
		cp "$file" "$work/$name" || die "$file cannot be read" "Name a file that this user may read, or unset TUTTI_PREBUILT."
		;;
	esac
}

fetch_url() {
	if command -v curl >/dev/null; then
		curl -fsSL --connect-timeout 10 --retry 2 -o "$2" "$1" >>"$LOG" 2>&1
	else
		/usr/lib/apt/apt-helper -o Acquire::Retries=1 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10 \
			download-file "$1" "$2" >>"$LOG" 2>&1
	fi
}

check_prebuilt() {
	[ -n "$pinned" ] || return 0
	actual=$(sha256sum <"$work/$name" | cut -d' ' -f1)
	[ "$actual" = "${pinned%% *}" ] || die "$name is not the file that deploy/deps/prebuilt names" \
		"expected sha256 ${pinned%% *}" "found    sha256 $actual" \
		"It may have been changed on its way. Fetch it another way, or set TUTTI_PREBUILT=never to build it here."
}
