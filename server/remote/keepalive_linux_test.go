package remote_test

import (
	"crypto/tls"
	"net"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/server/remote"
)

func TestKeepAlive(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := remote.KeepAlive(tls.Client(conn, &tls.Config{})); err != nil {
		t.Fatal(err)
	}
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ level, opt, want int }{
		"keep-alive":   {unix.SOL_SOCKET, unix.SO_KEEPALIVE, 1},
		"idle":         {unix.IPPROTO_TCP, unix.TCP_KEEPIDLE, 2},
		"interval":     {unix.IPPROTO_TCP, unix.TCP_KEEPINTVL, 1},
		"count":        {unix.IPPROTO_TCP, unix.TCP_KEEPCNT, 2},
		"user timeout": {unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, 4000},
	} {
		var got int
		err := raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), row.level, row.opt) })
		if err != nil || got != row.want {
			t.Errorf("%s: %d, want %d, %v", name, got, row.want, err)
		}
	}
}
