package ingest

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortmplib/pkg/amf0"
	"github.com/bluenviron/gortmplib/pkg/message"
	"golang.org/x/time/rate"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway"
)

// rtmpBurst is how many bytes a client may send at once.
const rtmpBurst = 8 << 20

// rtmpWire is a client's connection with deadlines and a bound on its rate.
type rtmpWire struct {
	net.Conn
	ctx  context.Context
	idle time.Duration // 0 while the connection has a deadline for its begin
	rate *rate.Limiter
}

// Read reads as fast as the client may send.
func (w *rtmpWire) Read(p []byte) (int, error) {
	if w.idle > 0 {
		_ = w.Conn.SetReadDeadline(time.Now().Add(w.idle))
	}
	n, err := w.Conn.Read(p[:min(len(p), 64<<10)])
	if n > 0 {
		if late := w.rate.WaitN(w.ctx, n); late != nil {
			return 0, late
		}
	}
	return n, err
}

// Write writes; a client that does not read ends its connection.
func (w *rtmpWire) Write(p []byte) (int, error) {
	if w.idle > 0 {
		_ = w.Conn.SetWriteDeadline(time.Now().Add(w.idle))
	}
	return w.Conn.Write(p)
}

// guardedConn reads through a guard.
type guardedConn struct {
	io.Reader
	io.Writer
}

// serve serves a connection until its end. The error says why it was refused or ended.
func (s *RTMP) serve(ctx context.Context, raw net.Conn) (err error) {
	defer recoveredRTMP(&err)
	release := context.AfterFunc(ctx, func() { _ = raw.Close() })
	defer release()
	_ = raw.SetDeadline(time.Now().Add(s.o.Limits.Begin))
	w := &rtmpWire{Conn: raw, ctx: ctx, rate: rate.NewLimiter(rate.Limit(s.o.Limits.Rate), rtmpBurst)}
	g := admission.NewRTMPGuard(w)
	c := &gortmplib.ServerConn{RW: guardedConn{g, w}}
	if err := c.Initialize(); err != nil {
		return rtmpFault(err)
	}
	if err := c.Accept(); err != nil {
		return rtmpFault(err)
	}
	if !c.Publish {
		return fault.New(fault.PublishAddress, "serve", "streams are published here; players open /stream/NAME.m3u8 by HTTP")
	}
	a, err := ParsePath(c.URL.Path, c.URL.RawQuery)
	if err != nil {
		return denyRTMP(c, err)
	}
	st, err := s.o.Ingest.Publish(ctx, gateway.Publisher{Protocol: "rtmp", Addr: raw.RemoteAddr().String(),
		Host: c.URL.Host}, a)
	if err != nil {
		return denyRTMP(c, err)
	}
	defer st.Close()
	hang := context.AfterFunc(st.Context(), func() { _ = raw.Close() }) // it ends a read
	defer hang()
	_ = raw.SetDeadline(time.Time{})
	w.idle = s.o.Limits.Idle
	g.Admit()
	if err = readRTMP(c, &rtmpMedia{to: st}); st.Context().Err() != nil {
		err = context.Cause(st.Context())
	}
	return err
}

// readRTMP reads messages until the stream ends.
func readRTMP(c *gortmplib.ServerConn, m *rtmpMedia) error {
	for {
		msg, err := c.Read()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return rtmpFault(err)
		}
		if over, err := m.take(msg); over || err != nil {
			return err
		}
	}
}

// rtmpFault is the fault of a connection that does not speak the protocol, or ended.
func rtmpFault(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fault.Wrap(fault.PublishProtocol, "wait for the client", err)
	}
	return fault.Wrap(fault.PublishProtocol, "read", err)
}

// denyRTMP tells the client why it may not publish. The error is that.
func denyRTMP(c *gortmplib.ServerConn, err error) error {
	_, text := fault.Public(err)
	_ = c.Write(&message.CommandAMF0{ChunkStreamID: 5, MessageStreamID: 0x1000000, Name: "onStatus",
		Arguments: []any{nil, amf0.Object{{Key: "level", Value: "error"}, {Key: "code", Value: "NetStream.Publish.BadName"},
			{Key: "description", Value: text}}}}) // the connection ends anyway
	return err
}
