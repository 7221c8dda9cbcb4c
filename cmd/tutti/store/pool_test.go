package store_test

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"testing"
)

// pool is a server in front of another that gives its clients numbers of its own
// connections, as pools do.
func pool(t *testing.T, to string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			wg.Go(func() { defer near.Close(); defer far.Close(); _, _ = io.Copy(far, near) })
			wg.Go(func() { defer near.Close(); defer far.Close(); renumber(near, far) })
		}
	})
	return l.Addr().String()
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
