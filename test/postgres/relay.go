package postgres

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Relay is a server in front of the one at an address, and its own address. back carries what that one answers, and
// ends when it can no longer read or write.
func Relay(t testing.TB, to string, back func(near io.Writer, far io.Reader)) string {
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
			wg.Go(func() { defer near.Close(); defer far.Close(); back(near, far) })
		}
	})
	return l.Addr().String()
}
