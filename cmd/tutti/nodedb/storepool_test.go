package nodedb_test

import (
	"encoding/binary"
	"io"
	"testing"

	"github.com/tuttinode/tutti/test/postgres"
)

// pool is a server in front of another that gives its clients numbers of its own
// connections, as pools do.
func pool(t *testing.T, to string) string {
	t.Helper()
	return postgres.Relay(t, to, renumber)
}

// renumber carries the server's messages, and changes the one that has the number of
// its process.
func renumber(to io.Writer, from io.Reader) {
	head := make([]byte, 5)
	for {
		if _, err := io.ReadFull(from, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		if head[0] == 'K' {
			body[0] ^= 1
		}
		if _, err := to.Write(append(head, body...)); err != nil {
			return
		}
	}
}
