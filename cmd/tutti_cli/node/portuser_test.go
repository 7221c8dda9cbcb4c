package node_test

import (
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
)

func TestOf(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the kernel's tables are Linux's")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if name, pid := node.PortUser(port); pid != os.Getpid() || !strings.HasPrefix(name, "node") {
		t.Errorf("port %d is used by %q, process %d", port, name, pid)
	}
	l.Close()
	if name, pid := node.PortUser(port); pid != 0 {
		t.Errorf("a free port is used by %q, process %d", name, pid)
	}
}

// TestUsers: both ends of connections to one's own machine are known, in every kind of
// address, and nothing is said of other machines.
func TestUsers(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the kernel's tables are Linux's")
	}
	for _, pair := range [][2]string{{"127.0.0.1:0", "127.0.0.1"}, {"0.0.0.0:0", "127.0.0.1"}, {"[::]:0", "127.0.0.1"},
		{"[::1]:0", "::1"}, {"[::]:0", "::1"}} {
		l, err := net.Listen("tcp", pair[0])
		if err != nil {
			t.Logf("%s: %v", pair[0], err) // no IPv6
			continue
		}
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		c, err := net.Dial("tcp", net.JoinHostPort(pair[1], port))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if got := node.PortUsers(c.LocalAddr(), c.RemoteAddr()); !slices.Equal(got, []int{os.Getuid()}) {
			t.Errorf("%v listens: %v", pair, got)
		}
		taken, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer taken.Close()
		l.Close()
		if got := node.PortUsers(c.LocalAddr(), c.RemoteAddr()); !slices.Equal(got, []int{os.Getuid()}) {
			t.Errorf("%v took the connection and listens no more: %v", pair, got)
		}
	}
	far := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 7935}
	if got := node.PortUsers(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 5}, far); got != nil {
		t.Errorf("another machine: %v", got)
	}
}
