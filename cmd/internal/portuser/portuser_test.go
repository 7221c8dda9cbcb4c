package portuser_test

import (
	"net"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/cmd/internal/portuser"
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
	if name, pid := portuser.Of(port); pid != os.Getpid() || !strings.HasPrefix(name, "portuser") {
		t.Errorf("port %d is used by %q, process %d", port, name, pid)
	}
	l.Close()
	if name, pid := portuser.Of(port); pid != 0 {
		t.Errorf("a free port is used by %q, process %d", name, pid)
	}
}
