package live

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortmplib/pkg/bytecounter"
	"github.com/bluenviron/gortmplib/pkg/message"
	"github.com/bluenviron/gortsplib/v5/pkg/format"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"

	"github.com/tuttinode/tutti/server/admission"
)

// rtmpWithin bounds the handshake with a media server.
const rtmpWithin = 10 * time.Second

var errNoVideo = errors.New("the stream has no H.264 video")

// RTMP is a client of media servers. Its zero value works.
type RTMP struct{}

// rtmpConn is a connection to a media server. It ends with its context.
type rtmpConn struct {
	net.Conn
	count *bytecounter.ReadWriter
	rw    *message.ReadWriter
	// cause is why the connection was ended, nil before.
	cause func() error
}

// guarded reads through a guard: the server is a stranger's, and names the length and the depth of what it sends.
type guarded struct {
	io.Reader
	io.Writer
}

// dialRTMP connects to the server at addr, which is the address that was looked at and not a second answer for the
// same name. The caller calls end, which waits.
func dialRTMP(ctx context.Context, u *url.URL, addr netip.AddrPort, publish bool) (
	c *rtmpConn, fail context.CancelCauseFunc, end func(), err error) {
	begin, cancel := context.WithTimeout(ctx, rtmpWithin)
	defer cancel()
	conn, err := connect(begin, u, addr)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("connect to the media server: %w", err)
	}
	g := admission.NewRTMPGuard(conn)
	g.Admit() // media may follow an answer at once
	c = &rtmpConn{Conn: conn, count: bytecounter.NewReadWriter(guarded{g, conn})}
	release := context.AfterFunc(begin, func() { _ = conn.Close() })
	err = c.begin(u, publish)
	if !release() && err == nil {
		err = context.Cause(begin)
	}
	if err != nil {
		_ = conn.Close() // it is over
		return nil, nil, nil, fmt.Errorf("connect to the media server: %w", err)
	}
	ctx, fail = context.WithCancelCause(ctx)
	c.cause = func() error { return context.Cause(ctx) }
	var watcher sync.WaitGroup
	watcher.Go(func() {
		<-ctx.Done()
		_ = conn.Close() // it ends a read
	})
	return c, fail, func() { fail(nil); watcher.Wait() }, nil
}

// connect opens the connection, with TLS where the address asks for it.
func connect(ctx context.Context, u *url.URL, addr netip.AddrPort) (net.Conn, error) {
	if u.Scheme == "rtmp" {
		return new(net.Dialer).DialContext(ctx, "tcp", addr.String())
	}
	d := &tls.Dialer{Config: &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}}
	return d.DialContext(ctx, "tcp", addr.String())
}

// Read reads a message.
func (c *rtmpConn) Read() (message.Message, error) { return c.rw.Read() }

// Write writes one.
func (c *rtmpConn) Write(m message.Message) error { return c.rw.Write(m) }

// BytesReceived counts what came.
func (c *rtmpConn) BytesReceived() uint64 { return c.count.Reader.Count() }

// BytesSent counts what was sent.
func (c *rtmpConn) BytesSent() uint64 { return c.count.Writer.Count() }

// Pull reads a stream.
func (RTMP) Pull(ctx context.Context, u *url.URL, addr netip.AddrPort, to Media) (err error) {
	c, fail, end, err := dialRTMP(ctx, u, addr, false)
	if err != nil {
		return err
	}
	defer end()
	defer unreadable(&err)
	late := time.AfterFunc(rtmpWithin, func() { fail(errNoVideo) })
	defer late.Stop()
	r := &gortmplib.Reader{Conn: c}
	if err := r.Initialize(); err != nil {
		return fmt.Errorf("read the stream's tracks: %w", cmp.Or(c.cause(), err))
	}
	late.Stop()
	if !attach(r, to) {
		return errNoVideo
	}
	for {
		if err := r.Read(); err != nil {
			return fmt.Errorf("read the stream: %w", cmp.Or(c.cause(), err))
		}
	}
}

// attach hands the stream's picture and sound on. It reports whether there is a picture.
func attach(r *gortmplib.Reader, to Media) (video bool) {
	var sound bool
	for _, track := range r.Tracks() {
		switch t := track.(type) {
		case *format.H264:
			var first [][]byte
			if len(t.SPS) > 0 && len(t.PPS) > 0 {
				first = [][]byte{t.SPS, t.PPS}
			}
			take := func(pts, dts time.Duration, unit [][]byte) {
				if first != nil {
					unit, first = append(first, unit...), nil
				}
				to.Video(ticks(pts), ticks(dts), unit)
			}
			if video {
				take = func(time.Duration, time.Duration, [][]byte) {}
			}
			video = true
			r.OnDataH264(t, take)
		case *format.MPEG4Audio:
			take := func(pts time.Duration, unit []byte) { to.Audio(ticks(pts), unit) }
			if sound || t.Config == nil {
				take = func(time.Duration, []byte) {}
			} else {
				to.Sound(&mpegts.CodecMPEG4Audio{Config: *t.Config})
				sound = true
			}
			r.OnDataMPEG4Audio(t, take)
		case *format.Opus:
			take := func(pts time.Duration, packet []byte) { to.Audio(ticks(pts), packet) }
			if sound {
				take = func(time.Duration, []byte) {}
			} else {
				to.Sound(&mpegts.CodecOpus{ChannelCount: t.ChannelCount})
				sound = true
			}
			r.OnDataOpus(t, take)
		default:
			ignore(r, t)
		}
	}
	return video
}

// ignore lets a track pass: the library fails at one that it has no function for.
func ignore(r *gortmplib.Reader, track format.Format) {
	drop := func(time.Duration, []byte) {}
	switch t := track.(type) {
	case *format.H265:
		r.OnDataH265(t, func(time.Duration, time.Duration, [][]byte) {})
	case *format.AV1:
		r.OnDataAV1(t, func(time.Duration, [][]byte) {})
	case *format.VP9:
		r.OnDataVP9(t, drop)
	case *format.MPEG1Audio:
		r.OnDataMPEG1Audio(t, drop)
	case *format.AC3:
		r.OnDataAC3(t, drop)
	case *format.G711:
		r.OnDataG711(t, drop)
	case *format.LPCM:
		r.OnDataLPCM(t, drop)
	}
}

func ticks(d time.Duration) int64 { return int64(d/time.Microsecond) * videoClock / 1_000_000 }
