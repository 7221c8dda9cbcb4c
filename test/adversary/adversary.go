// Package adversary has what its subpackages share: each plays one kind of attacker
// against the real programs. They are strangers at the node's ports, a chain endpoint
// that lies, media and models that try to leave their sandbox, orchestrators and
// gateways that cheat. docs/security.md names the promise that each test holds.
package adversary

import "os"

// Long: `make adversary` runs, and a test may take minutes where it takes seconds in
// the whole test command.
func Long() bool { return os.Getenv("TUTTI_ADVERSARY") == "long" }
