# Talking to the user and running steps. Sourced by deps.sh; nothing here knows
# what is being built.

say() { printf '%s\n' "$*" >&2; }

# die MESSAGE [REMEDY...]: one line of what failed, then what to do about it.
die() {
	say "deps: $1"
	shift
	for line in "$@"; do say "      $line"; done
	exit 1
}

# step TITLE COMMAND...: one line per step with the seconds it took; its output
# goes to $LOG, whose end is shown when it fails.
step() {
	title=$1
	shift
	mkdir -p "${LOG%/*}"
	printf 'deps: %-46s' "$title" >&2
	begun=$(date +%s)
	logged=$(wc -l 2>/dev/null <"$LOG" || echo 0)
	if ("$@") >>"$LOG" 2>&1; then
		printf ' %4d s\n' $(($(date +%s) - begun)) >&2
		return 0
	fi
	printf ' FAILED after %d s\n' $(($(date +%s) - begun)) >&2
	tail -n "+$((logged + 1))" "$LOG" | tail -n 20 | sed 's/^/      | /' >&2
	die "the step '$title' failed; the whole log is $LOG" "${REMEDY:-Fix what the log names, then run 'make deps' again.}"
}

# as_root COMMAND...: run it with the rights to install packages.
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

can_be_root() {
	[ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}
