//go:build linux

package process

import (
	"errors"
	"net"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/core/fault"
)

// handed are files of sockets with numbers that follow one another.
func handed(t *testing.T, n int) (first int) {
	t.Helper()
	const from = 200
	for i := range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		f, err := l.(*net.TCPListener).File()
		l.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Dup3(int(f.Fd()), from+i, unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return from
}

func TestListenersOf(t *testing.T) {
	for _, tt := range []struct {
		name  string
		names []string
		want  []string
	}{
		{"one without a name", []string{"unknown"}, []string{SocketPublic}},
		{"one of the gateway", []string{"gateway"}, []string{SocketGateway}},
		{"all", []string{"admin", "public", "gateway"}, []string{SocketAdmin, SocketPublic, SocketGateway}},
		{"a name that is none", []string{"public", "tutti.socket"}, nil},
		{"one twice", []string{"public", "public"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := listenersOf(handed(t, len(tt.names)), len(tt.names), tt.names)
			if tt.want == nil {
				if !errors.Is(err, fault.SocketUnusable) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || len(got) != len(tt.want) {
				t.Fatalf("got %v, %v", got, err)
			}
			for _, name := range tt.want {
				if l := got.Take(name); l == nil || l.Close() != nil {
					t.Errorf("no socket %s", name)
				}
			}
		})
	}
	if got, err := activated(); got != nil || err != nil || os.Getenv("LISTEN_FDS") != "" {
		t.Errorf("without a service manager: %v, %v", got, err)
	}
}
