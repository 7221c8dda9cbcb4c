package netlab

import (
	"io"
	"net"
)

// Forward forwards a port of the host's loopback to an address of this machine,
// such as the test chain's. It is outside of the lab: no link slows or cuts it.
func (h *Host) Forward(port, to string) {
	l := h.lab
	l.t.Helper()
	at, err := h.Listen("127.0.0.1:" + port)
	if err != nil {
		l.t.Fatal(err)
	}
	l.mu.Lock()
	l.ports = append(l.ports, at)
	l.mu.Unlock()
	l.wg.Go(func() {
		for {
			in, err := at.Accept()
			if err != nil {
				return
			}
			l.wg.Go(func() { l.join(in, to) })
		}
	})
}

// join copies both ways until either side is done.
func (l *Lab) join(in net.Conn, to string) {
	defer in.Close()
	out, err := net.Dial("tcp", to)
	if err != nil || !l.keep(in, out) {
		return
	}
	defer out.Close()
	defer l.drop(in, out)
	back := make(chan struct{})
	go func() {
		defer close(back)
		_, _ = io.Copy(in, out)
		in.Close()
	}()
	_, _ = io.Copy(out, in)
	out.Close()
	<-back
}

// keep records connections that end with the lab; false when that has ended.
func (l *Lab) keep(conns ...net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		if l.done {
			c.Close()
			continue
		}
		l.conns[c] = struct{}{}
	}
	return !l.done
}

func (l *Lab) drop(conns ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range conns {
		delete(l.conns, c)
	}
}
