package live

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortmplib/pkg/message"
	"github.com/bluenviron/gortsplib/v5/pkg/format"
	"github.com/bluenviron/mediacommon/v2/pkg/formats/mpegts"
)

const (
	// rtmpWithin bounds the handshake with a media server.
	rtmpWithin = 10 * time.Second
	// maxUnfinished bounds what a media server sends between two whole messages, of which the longest has
	// 10 MiB; it is looked at every unfinishedEvery.
	maxUnfinished   = 12 << 20
	unfinishedEvery = 50 * time.Millisecond
)

var (
	errNoVideo    = errors.New("the stream has no H.264 video")
	errUnfinished = errors.New("the media server sends too much without an end of a message")
)

// RTMP is a client of media servers. Its zero value works.
type RTMP struct{}

// rtmpConn is a connection to a media server. It ends with its context.
type rtmpConn struct {
	*gortmplib.Client
	mu sync.Mutex
	// whole is how many bytes had come at the end of the last whole message.
	whole uint64
	// cause is why the connection was ended, nil before.
	cause func() error
}

// dialRTMP connects to the server at addr, which is the address that was looked at and not a second answer for the
// same name. The caller calls end, which waits.
func dialRTMP(ctx context.Context, u *url.URL, addr netip.AddrPort, publish bool) (
	c *rtmpConn, fail context.CancelCauseFunc, end func(), err error) {
	at := *u
	at.Host = addr.String()
	c = &rtmpConn{Client: &gortmplib.Client{URL: &at, Publish: publish,
		TLSConfig: &tls.Config{ServerName: u.Hostname(), MinVersion: tls.VersionTLS12}}}
	begin, cancel := context.WithTimeout(ctx, rtmpWithin)
	defer cancel()
	if err := c.Initialize(begin); err != nil {
		return nil, nil, nil, fmt.Errorf("connect to the media server: %w", err)
	}
	ctx, fail = context.WithCancelCause(ctx)
	c.cause = func() error { return context.Cause(ctx) }
	var watcher sync.WaitGroup
	watcher.Go(func() { c.watch(ctx, fail) })
	return c, fail, func() { fail(nil); watcher.Wait() }, nil
}

// watch closes the connection when ctx ends, or when too much comes.
func (c *rtmpConn) watch(ctx context.Context, fail context.CancelCauseFunc) {
	defer c.Close()
	tick := time.NewTicker(unfinishedEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		c.mu.Lock()
		unfinished := c.BytesReceived() - min(c.whole, c.BytesReceived())
		c.mu.Unlock()
		if unfinished > maxUnfinished {
			fail(errUnfinished)
		}
	}
}

// Read reads a message.
func (c *rtmpConn) Read() (message.Message, error) {
	m, err := c.Client.Read()
	c.mu.Lock()
	c.whole = c.BytesReceived()
	c.mu.Unlock()
	return m, err
}

// Pull reads a stream.
func (RTMP) Pull(ctx context.Context, u *url.URL, addr netip.AddrPort, to Media) (err error) {
	c, fail, end, err := dialRTMP(ctx, u, addr, false)
	if err != nil {
		return err
	}
	defer end()
	// What comes is a stranger's: no error of the library that parses it ends more than the connection.
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("the stream cannot be parsed: %v", v)
		}
	}()
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
