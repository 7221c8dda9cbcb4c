package livevideo

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bluenviron/gortmplib"
	"github.com/bluenviron/gortmplib/pkg/message"
	"github.com/bluenviron/gortsplib/v5/pkg/format"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/h264"
	"github.com/bluenviron/mediacommon/v2/pkg/codecs/mpeg4audio"
)

// MediaServer is one as MediaMTX is, at a loopback address of its own: a publisher's stream by RTMP, and its API.
// It also takes streams that are published to it.
type MediaServer struct {
	// IP is its address.
	IP string

	t        testing.TB
	ctx      context.Context
	cancel   context.CancelFunc
	wg       sync.WaitGroup
	mu       sync.Mutex
	conns    []net.Conn
	calls    []string
	gone     bool
	paths    []string
	received int
}

// NewMediaServer starts one, on the ports that media servers have.
func NewMediaServer(t testing.TB) *MediaServer {
	t.Helper()
	var b [3]byte
	_, _ = rand.Read(b[:])
	m := &MediaServer{t: t, IP: fmt.Sprintf("127.%d.%d.%d", 1+b[0]%250, 1+b[1]%250, 1+b[2]%250)}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	rtmp, err := net.Listen("tcp", m.IP+":1935")
	if err != nil {
		t.Fatal(err) // every address of 127.0.0.0/8 is this machine's on Linux
	}
	api, err := net.Listen("tcp", m.IP+":9997")
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.HandlerFunc(m.serveAPI), ReadHeaderTimeout: time.Second}
	m.wg.Go(func() { _ = srv.Serve(api) })
	m.wg.Go(func() {
		for {
			conn, err := rtmp.Accept()
			if err != nil {
				return
			}
			m.mu.Lock()
			m.conns = append(m.conns, conn)
			m.mu.Unlock()
			m.wg.Go(func() { defer conn.Close(); m.serveRTMP(conn) })
		}
	})
	t.Cleanup(func() {
		m.cancel()
		_ = rtmp.Close()
		_ = srv.Close()
		m.Break()
		m.wg.Wait()
	})
	return m
}

func (m *MediaServer) serveAPI(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
	if m.gone {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, "{}")
}

// Calls are the calls of its API.
func (m *MediaServer) Calls() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.calls)
}

// Called reports whether a call of its API begins like that.
func (m *MediaServer) Called(prefix string) bool {
	return slices.ContainsFunc(m.Calls(), func(c string) bool { return strings.HasPrefix(c, prefix) })
}

// Paths are the paths that were asked for by RTMP; those that were published to begin with "to ".
func (m *MediaServer) Paths() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.paths)
}

// Received is how many pictures were published to it.
func (m *MediaServer) Received() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.received
}

// Leave ends the publisher: the API has it no longer, and connections end.
func (m *MediaServer) Leave() {
	m.mu.Lock()
	m.gone = true
	m.mu.Unlock()
	m.Break()
}

// Break ends connections, as a network does.
func (m *MediaServer) Break() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.conns {
		_ = c.Close()
	}
	m.conns = nil
}

// Call sends a form from the media server's own address.
func (m *MediaServer) Call(address string, form url.Values, header ...string) (*http.Response, string) {
	m.t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(m.IP)}}
	transport := &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true,
		MaxResponseHeaderBytes: 1 << 16}
	r, err := http.NewRequestWithContext(m.t.Context(), http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		m.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	res, err := transport.RoundTrip(r)
	if err != nil {
		m.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		m.t.Fatal(err)
	}
	return res, string(data)
}

// Start calls as a media server does that has a publisher.
func (m *MediaServer) Start(address, query string) (*http.Response, string) {
	m.t.Helper()
	return m.Call(address, url.Values{"source_id": {"conn-1"}, "source_type": {"rtmpConn"}, "query": {query}})
}

func (m *MediaServer) serveRTMP(conn net.Conn) {
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	c := &gortmplib.ServerConn{RW: conn}
	if c.Initialize() != nil || c.Accept() != nil {
		return
	}
	m.mu.Lock()
	if c.Publish {
		m.paths = append(m.paths, "to "+c.URL.Path)
	} else {
		m.paths = append(m.paths, c.URL.Path)
	}
	m.mu.Unlock()
	if c.Publish {
		m.receive(c)
	} else {
		m.send(c)
	}
}

// send sends numbered pictures like a Publisher, with AAC.
func (m *MediaServer) send(c *gortmplib.ServerConn) {
	video := &format.H264{PayloadTyp: 96, SPS: sps, PPS: pps, PacketizationMode: 1}
	audio := &format.MPEG4Audio{PayloadTyp: 96, SizeLength: 13, IndexLength: 3, IndexDeltaLength: 3,
		Config: &mpeg4audio.AudioSpecificConfig{Type: mpeg4audio.ObjectTypeAACLC, SampleRate: 48000, ChannelCount: 2}}
	w := &gortmplib.Writer{Conn: c, Tracks: []format.Format{video, audio}}
	if w.Initialize() != nil {
		return
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-tick.C:
		case <-m.ctx.Done():
			return
		}
		at := time.Duration(n) * 20 * time.Millisecond
		var unit h264.AnnexB
		if unit.Unmarshal(picture(n%25 == 0, n)) != nil || w.WriteH264(video, at, at, unit) != nil ||
			w.WriteMPEG4Audio(audio, at, bytes.Repeat([]byte{0x21}, 8)) != nil {
			return
		}
	}
}

// receive counts pictures. The library's reader leaves out those of the first seconds.
func (m *MediaServer) receive(c *gortmplib.ServerConn) {
	for {
		got, err := c.Read()
		if err != nil {
			return
		}
		if v, ok := got.(*message.Video); ok && v.Type == message.VideoTypeAU {
			m.mu.Lock()
			m.received++
			m.mu.Unlock()
		}
	}
}

// ServeRaw serves one connection: what RTMP wants before a stream, and then the bytes as they are. hold keeps it until
// the client closes it.
func ServeRaw(l net.Listener, data []byte, hold bool) {
	conn, err := l.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	c := &gortmplib.ServerConn{RW: conn}
	if c.Initialize() == nil && c.Accept() == nil {
		if _, err := conn.Write(data); err == nil && hold {
			_, _ = io.Copy(io.Discard, conn)
		}
	}
}
