package remote

import (
	"cmp"
	"strings"

	"github.com/tuttinode/tutti/server/access"
)

const (
	// maxName and maxInstance bound a worker's name and instance, in bytes.
	maxName     = 48
	maxInstance = 64
	maxNode     = 64
)

// Identity identifies a registering worker.
type Identity struct {
	// Node is the release of a tutti node, "tutti/0.9.1"; "" for any other.
	Node string
	// Name is the operator's name for it, made printable, or else its host. It need not be
	// unique; see Names.
	Name string
	// Named says that the operator gave the name.
	Named bool
	// Instance identifies a tutti process; "" when unknown.
	Instance string
	// Addr is its remote address.
	Addr string
}

// IsTutti reports whether the worker is a tutti node.
func (id Identity) IsTutti() bool { return id.Node != "" }

// NewIdentity reads a registration's fields. addr is the peer's host and port.
func NewIdentity(node, worker, instance, addr string) Identity {
	id := Identity{Addr: printable(addr, maxName)}
	if strings.HasPrefix(node, NodePrefix) {
		id.Node = printable(node, maxNode)
		id.Name = printable(worker, maxName)
		id.Named = id.Name != ""
		// A shortened instance could collide with another: drop it.
		if len(instance) <= maxInstance {
			id.Instance = instance
		}
	}
	if id.Name == "" {
		id.Name = cmp.Or(printable(access.Host(addr), maxName), "worker")
	}
	return id
}

// Printable makes a worker's names safe for a log line: characters that are unusual in names
// become hyphens, and the length is bounded.
func Printable(s string) string { return keep(s, maxName, ' ') }

// printable is Printable for what must not have spaces in it.
func printable(s string, most int) string { return keep(s, most, '-') }

func keep(s string, most int, also rune) string {
	s = strings.TrimSpace(s[:min(len(s), most)])
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' &&
			r <= '9', r == also, strings.ContainsRune("._-:/[]+%@", r):
			return r
		}
		return '-'
	}, s)
}
