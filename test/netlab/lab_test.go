package netlab_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/netlab"
)

// echo answers on a host with what it gets.
func echo(t *testing.T, h *netlab.Host) {
	t.Helper()
	l, err := h.Listen(h.Addr.String() + ":7")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				_, _ = io.Copy(c, c)
			}()
		}
	}()
}

func ask(t *testing.T, c net.Conn, text []byte) time.Duration {
	t.Helper()
	start := time.Now()
	go c.Write(text)
	got := make([]byte, len(text))
	if _, err := io.ReadFull(c, got); err != nil || !bytes.Equal(got, text) {
		t.Fatalf("%d bytes came back wrong: %v", len(text), err)
	}
	return time.Since(start)
}

func TestPacketsTakeTheirTimeAndGetLost(t *testing.T) {
	if err := netlab.Needs(); err != nil {
		t.Skip("no network lab here: ", err)
	}
	lab := netlab.New(t)
	a, b := lab.Host("a"), lab.Host("b")
	echo(t, b)
	lab.Link(a, b, netlab.Link{Delay: 20 * time.Millisecond})
	c, err := a.Dial(t.Context(), "tcp", b.Addr.String()+":7")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if d := ask(t, c, []byte("x")); d < 40*time.Millisecond {
		t.Errorf("a round trip of 40 ms took %v", d)
	}
	lab.Link(a, b, netlab.Link{Loss: 0.02})
	ask(t, c, bytes.Repeat([]byte("loss "), 100_000))

	lab.Isolate(b, true)
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if c, err := a.Dial(short, "tcp", b.Addr.String()+":7"); err == nil {
		c.Close()
		t.Error("a host that is cut off answers")
	}
	lab.Isolate(b, false)
	ask(t, c, []byte("back"))
}
