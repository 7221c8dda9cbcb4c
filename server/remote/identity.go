package remote

import (
	"cmp"
	"net"
	"strings"
)

const (
	// maxName and maxInstance bound what a worker says of itself, in bytes.
	maxName     = 48
	maxInstance = 64
	maxNode     = 64
)

// Identity is who registers.
type Identity struct {
	// Node is the release of a node of our own kind, "tutti/0.9.1"; "" for any other.
	Node string
	// Name is what the operator called it, made printable; the host that it comes
	// from where it has no name. It need not be unique; see Names.
	Name string
	// Named says that the operator gave the name.
	Named bool
	// Instance tells processes of our own kind apart; "" where it is not known.
	Instance string
	// Addr is where it comes from.
	Addr string
}

// Own reports whether the worker is of our own kind.
func (id Identity) IsTutti() bool { return id.Node != "" }

// NewIdentity reads what a registration says. addr is the peer's host and port.
func NewIdentity(node, worker, instance, addr string) Identity {
	id := Identity{Addr: printable(addr, maxName)}
	if strings.HasPrefix(node, NodePrefix) {
		id.Node = printable(node, maxNode)
		id.Name = printable(worker, maxName)
		id.Named = id.Name != ""
		// A shortened one could be another's: then it has none.
		if len(instance) <= maxInstance {
			id.Instance = instance
		}
	}
	if id.Name == "" {
		host, _, err := net.SplitHostPort(addr)
		if err != nil {
			host = addr
		}
		id.Name = cmp.Or(printable(host, maxName), "worker")
	}
	return id
}

// Printable makes what a worker calls its parts fit for a line: letters, digits,
// spaces and what names are written with stay, anything else becomes a hyphen. The
// length is bounded.
func Printable(s string) string { return keep(s, maxName, ' ') }

// printable is Printable for what must not have spaces in it.
func printable(s string, most int) string { return keep(s, most, '-') }

func keep(s string, most int, also rune) string {
	s = strings.TrimSpace(s[:min(len(s), most)])
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == also, strings.ContainsRune("._-:/[]+%@", r):
			return r
		}
		return '-'
	}, s)
}
