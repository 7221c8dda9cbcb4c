package sandbox

import "strings"

// Names of walls, as those that could not be put up are named before their reason.
const (
	Calls        = "seccomp (system calls)"
	Landlock     = "Landlock (files, signals)"
	OwnRoot      = "own root"
	OtherUser    = "another user"
	Capabilities = "dropping capabilities"
	Network      = "user and network namespace"
	// Everything is a system that has none of them.
	Everything = "files, network and system calls"
)

// Exposed says what hostile media could get at because walls are missing: nothing, as
// long as each thing that it could want is behind one that stands. Missing are walls
// by name, each with its reason after a colon.
func Exposed(gpu bool, missing []string) (what []string) {
	lacks := func(names ...string) bool {
		for _, name := range names {
			found := false
			for _, m := range missing {
				found = found || strings.HasPrefix(m, name+":") || strings.HasPrefix(m, Everything+":")
			}
			if !found {
				return false
			}
		}
		return true
	}
	paths := gpu || lacks(Calls)
	if paths && lacks(Landlock, OwnRoot) {
		what = append(what, "the files of the node's user")
	}
	if lacks(Calls, Network) {
		what = append(what, "the network")
	}
	if lacks(Calls) {
		what = append(what, "all of the kernel's system calls")
		if lacks(Landlock) {
			what = append(what, "the memory of other processes of its user")
		}
	}
	if lacks(Capabilities) {
		what = append(what, "the privileges of the node's user")
	}
	return what
}
