package bounds

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// stranger is an attacker at one address.
type stranger struct {
	ip net.IP
	to string
	// sent counts the bytes that went out.
	sent atomic.Int64
}

// strangerAt is the attacker number n, each at an address of its own.
func strangerAt(n int, to string) *stranger {
	return &stranger{ip: net.IPv4(127, 0, byte(1+n/200), byte(2+n%200)), to: to}
}

// dial opens a TCP connection from the attacker's address.
func (s *stranger) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: s.ip}}
	return d.DialContext(ctx, "tcp", s.to)
}

// tls opens a connection with TLS and one protocol.
func (s *stranger) tls(ctx context.Context, protocol string) (net.Conn, error) {
	raw, err := s.dial(ctx)
	if err != nil {
		return nil, err
	}
	conn := tls.Client(raw, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, err
	}
	return conn, nil
}

// h2 is a connection of HTTP/2 whose frames the attacker writes by hand.
type h2 struct {
	net.Conn
	*http2.Framer
	s     *stranger
	block bytes.Buffer
	enc   *hpack.Encoder
	next  uint32
	// mostHeaders is what the server takes of headers in one request.
	mostHeaders atomic.Uint32
	// ended is closed when the server's side is.
	ended chan struct{}
}

// h2 opens one. What the server sends is read and thrown away unless it is deaf.
func (s *stranger) h2(ctx context.Context, deaf bool) (*h2, error) {
	conn, err := s.tls(ctx, "h2")
	if err != nil {
		return nil, err
	}
	c := &h2{Conn: conn, s: s, next: 1, ended: make(chan struct{})}
	c.mostHeaders.Store(1 << 20)
	c.enc = hpack.NewEncoder(&c.block)
	c.Framer = http2.NewFramer(io.MultiWriter(conn, (*counter)(&s.sent)), conn)
	settings := []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}}
	if !deaf {
		settings = nil
	}
	if _, err = io.WriteString(conn, http2.ClientPreface); err == nil {
		err = c.WriteSettings(settings...)
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	if !deaf {
		go c.drain()
	}
	return c, nil
}

// counter counts what is written.
type counter atomic.Int64

func (c *counter) Write(p []byte) (int, error) {
	(*atomic.Int64)(c).Add(int64(len(p)))
	return len(p), nil
}

// drain reads what the server sends until the connection ends, and keeps what it says
// of headers.
func (c *h2) drain() {
	defer close(c.ended)
	for {
		f, err := c.ReadFrame()
		if err != nil {
			return
		}
		if s, ok := f.(*http2.SettingsFrame); ok {
			if v, ok := s.Value(http2.SettingMaxHeaderListSize); ok {
				c.mostHeaders.Store(v)
			}
		}
	}
}

// request is the header block of a request, with so many bytes of further fields as
// the server counts them. A field that is in HPACK's table costs one byte to send.
func (c *h2) request(path, contentType string, further int, fields ...hpack.HeaderField) []byte {
	c.block.Reset()
	head := []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: "node"},
		{Name: ":path", Value: path},
		{Name: "content-type", Value: contentType},
	}
	for _, f := range append(head, fields...) {
		_ = c.enc.WriteField(f) // into memory
	}
	tiny := hpack.HeaderField{Name: "a", Value: ""}
	for n := 0; n+int(tiny.Size()) <= further; n += int(tiny.Size()) {
		_ = c.enc.WriteField(tiny)
	}
	return bytes.Clone(c.block.Bytes())
}

// frame is the largest that every server takes.
const frame = 16 << 10

// open sends a header block as a new stream: a HEADERS frame and CONTINUATIONs. The
// last one is left out where the block is to stay unfinished.
func (c *h2) open(block []byte, finished bool) (stream uint32, err error) {
	stream = c.next
	c.next += 2
	first := block[:min(len(block), frame)]
	rest := block[len(first):]
	err = c.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndHeaders: finished &&
		len(rest) == 0})
	for err == nil && len(rest) > 0 {
		part := rest[:min(len(rest), frame)]
		rest = rest[len(part):]
		err = c.WriteContinuation(stream, finished && len(rest) == 0, part)
	}
	return stream, err
}

// clients runs an attack over so many connections of one address, each again and again,
// until ctx ends. attack returns when its connection is of no more use.
func (s *stranger) connectMany(ctx context.Context, connections int, attack func(ctx context.Context)) {
	var wg sync.WaitGroup
	for range connections {
		wg.Go(func() {
			// A refused connection is tried again at a pace that leaves the machine to others.
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for ctx.Err() == nil {
				attack(ctx)
				select {
				case <-tick.C:
				case <-ctx.Done():
				}
			}
		})
	}
	wg.Wait()
}

// over runs attack over a connection of HTTP/2 and closes it when ctx ends.
func (s *stranger) over(ctx context.Context, deaf bool, attack func(c *h2) error) {
	c, err := s.h2(ctx, deaf)
	if err != nil {
		return
	}
	defer closeWith(ctx, c)()
	for ctx.Err() == nil && attack(c) == nil {
	}
}

// closeWith closes a connection when ctx ends, or with the function that it returns.
func closeWith(ctx context.Context, c io.Closer) func() {
	stop := context.AfterFunc(ctx, func() { c.Close() })
	return func() {
		stop()
		c.Close()
	}
}

// hold keeps a connection until the server ends it or ctx does.
func hold(ctx context.Context, conn net.Conn) {
	defer closeWith(ctx, conn)()
	_, _ = io.Copy(io.Discard, conn)
}

// trickle writes text, then one more byte at each tick.
func trickle(ctx context.Context, conn net.Conn, text string, every time.Duration) {
	defer closeWith(ctx, conn)()
	if _, err := io.WriteString(conn, text); err != nil {
		return
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if _, err := fmt.Fprint(conn, "x"); err != nil {
			return
		}
	}
}
