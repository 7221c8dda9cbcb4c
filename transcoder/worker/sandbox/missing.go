package sandbox

import "strings"

// Names of restrictions, as they stand before the reason why one is missing.
const (
	Calls        = "seccomp (system calls)"
	Landlock     = "Landlock (files, signals)"
	OwnRoot      = "own root"
	OtherUser    = "another user"
	Capabilities = "dropping capabilities"
	Network      = "user and network namespace"
	// Everything is missing on a system that has none of them.
	Everything = "files, network and system calls"
)

// Exposed lists what hostile media could get at because restrictions are missing: nothing, as
// long as another restriction protects each resource. missing holds the restrictions by name,
// each with its reason after a colon.
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
