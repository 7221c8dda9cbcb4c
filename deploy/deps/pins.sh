# Whether what was fetched is what this tree was written for: recipe/sha256 has the
# hash of every file that the libav prefix is made of. The archive's signature says
# who made a file, this which one it is. Sourced by deps.sh.

# How to take in a newer version, for the errors below.
pin_remedy="For a newer version: put it into deploy/deps/recipe/versions and \
the output of sha256sum over its files into deploy/deps/recipe/sha256, after reading what changed."

# check_pins DIR: every file that was fetched into DIR is pinned, and is what its pin
# says. Signatures of upstream's, which nothing here reads, are removed.
check_pins() {
	found=
	for file in "$1"/*; do
		case $file in
		*.asc)
			# Not beside the sources, where a pattern could take it for one of them.
			rm -f "$file"
			continue
			;;
		*.dsc | *.tar.* | *.deb) ;;
		*) continue ;;
		esac
		found=yes
		name=${file##*/}
		expected=$(awk -v name="$name" '$2 == name { print $1 }' "$RECIPE/sha256")
		[ -n "$expected" ] || die "$name is not pinned in deploy/deps/recipe/sha256, so it is not built" "$pin_remedy"
		actual=$(sha256sum <"$file" | cut -d' ' -f1)
		[ "$actual" = "$expected" ] || die "$name is not the file that deploy/deps/recipe/sha256 names" \
			"expected sha256 $expected" "found    sha256 $actual" \
			"The archive or what is between may have been changed. Fetch it another way and compare. $pin_remedy"
	done
	[ -n "$found" ] || die "nothing was fetched into $1" "Run 'make deps' again."
}
