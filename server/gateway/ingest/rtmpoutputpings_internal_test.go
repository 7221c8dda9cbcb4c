package ingest

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortmplib/pkg/message"

	"github.com/tuttinode/tutti/core/fetchurl"
)

// A server's pings, and its wish to be told what came, are answered while pictures are sent; neither breaks the
// other.
func TestPingsWhileAnOutputIsSent(t *testing.T) {
	t.Parallel()
	const each = 500
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	type result struct {
		pictures, pongs int
		err             error
	}
	served := make(chan result, 1)
	go func() {
		var r result
		r.pictures, r.pongs, r.err = pingAndCount(l, each)
		served <- r
	}()
	o := RTMPOutputs{Networks: fetchurl.Networks{netip.MustParsePrefix("127.0.0.1/32")}}
	to, err := o.Open(t.Context(), "rtmp://"+l.Addr().String()+"/live/key", []byte{0x67, 0x42, 0xc0, 0x1f},
		[]byte{0x68, 0xcb}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = to.Close() }() // the server may have ended it
	for i := range each {
		at := time.Duration(i) * time.Second / 30
		if err := to.WriteVideo(at, at, [][]byte{append([]byte{0x65}, make([]byte, 1000)...)}); err != nil {
			t.Fatal(i, err)
		}
	}
	if r := <-served; r.err != nil || r.pictures != each || r.pongs != each {
		t.Errorf("%+v", r)
	}
}

// pingAndCount serves one connection, sends pings, and counts pictures and answers until all are there.
func pingAndCount(l net.Listener, each int) (pictures, pongs int, err error) {
	conn, err := l.Accept()
	if err != nil {
		return 0, 0, err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &gortmplib.ServerConn{RW: conn}
	if err := c.Initialize(); err != nil {
		return 0, 0, err
	}
	if err := c.Accept(); err != nil {
		return 0, 0, err
	}
	pinged := make(chan error, 1)
	go func() {
		for i := range each {
			if err := c.Write(&message.UserControlPingRequest{ServerTime: uint32(i)}); err != nil {
				pinged <- err
				return
			}
		}
		pinged <- nil
	}()
	for pictures < each || pongs < each {
		m, err := c.Read()
		if err != nil {
			return pictures, pongs, err
		}
		switch m := m.(type) {
		case *message.Video:
			if m.Type == message.VideoTypeAU {
				pictures++
			}
		case *message.UserControlPingResponse:
			pongs++
		}
	}
	return pictures, pongs, <-pinged
}
