package live_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

// A media server says that it has a publisher: its stream is read by RTMP, transformed and watched. It is read again
// when the connection breaks, and ends when the media server has the publisher no longer.
func TestAMediaServersStreamIsRead(t *testing.T) {
	o, m := livevideo.New(t), livevideo.NewMediaServer(t)
	g := newGateway(t, func(o *live.Options) {
		o.MediaServerPassword = "hush"
		o.Limits.PullAgain = 50 * time.Millisecond
	}, o)
	if res, text := m.Start(g.url+"app/cam/start", "pipeline=noop&streamId=s1&params=%7B%22a%22%3A1%7D"); res.StatusCode !=
		http.StatusOK || text != "" {
		t.Fatal(res.Status, text)
	}
	if starts := o.Starts(); len(starts) != 1 || starts[0]["stream_id"] != "s1" || starts[0]["model_id"] != "noop" {
		t.Fatal("no orchestrator was tried before the answer: ", starts)
	}
	v := livevideo.Watch(t, g.url+"cam-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 20 })
	if got := m.Paths(); got[0] != "/app/cam" {
		t.Error(got)
	}
	m.Break()
	n := v.Count()
	until(t, "pictures after a break", func() bool { return v.Count() > n+20 })
	_, times := v.Pictures()
	for i := 1; i < len(times); i++ {
		if step := int32(times[i] - times[i-1]); step <= 0 || step > 4*90000 {
			t.Error("time stamps:", step)
		}
	}
	m.Leave()
	until(t, "end", func() bool { return g.Streams() == 0 })
	if !m.Called("GET /v3/rtmpconns/get/conn-1 Basic YWRtaW46aHVzaA==") || m.Called("POST") {
		t.Error(m.Calls())
	}
}

// A stream that ends for another reason than its publisher ends the publisher too.
func TestAPublisherIsEndedWithItsStream(t *testing.T) {
	full, m := livevideo.New(t), livevideo.NewMediaServer(t)
	full.Refuse = &live.RefusedError{Status: 503, Text: "insufficient capacity"}
	g := newGateway(t, nil, full)
	if res, text := m.Start(g.url+"cam/start", ""); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	until(t, "kick", func() bool { return m.Called("POST /v3/rtmpconns/kick/conn-1 ") })
}

// The test card goes to a media server for as long as was asked.
func TestASmokeTestSendsTheCard(t *testing.T) {
	m := livevideo.NewMediaServer(t)
	g := newGateway(t, nil)
	put := func(target string, seconds int) (*http.Response, string) {
		return livevideo.Do(t, "PUT", g.url+"smoketest", "application/json",
			fmt.Sprintf(`{"stream_url":%q,"duration_secs":%d}`, target, seconds))
	}
	if res, text := put("rtmp://"+m.IP+"/live/card", 1); res.StatusCode != http.StatusOK || text != "" {
		t.Fatal(res.Status, text)
	}
	until(t, "30 pictures", func() bool { return m.Received() == 30 })
	if got := m.Paths(); len(got) != 1 || got[0] != "to /live/card" {
		t.Error(got)
	}
	if res, text := put("rtmp://127.0.0.1:1/live/card", 1); res.StatusCode != http.StatusBadGateway ||
		!strings.Contains(text, "media server") {
		t.Error(res.Status, text)
	}
	for range 2 {
		put("rtmp://"+m.IP+"/live/card", 3600)
	}
	if res, text := put("rtmp://"+m.IP+"/live/card", 1); res.StatusCode != http.StatusServiceUnavailable {
		t.Error("a third one at once:", res.Status, text)
	}
}

// stranger is the access of a gateway where every client may publish, and none is known.
type stranger struct{ live.Access }

func (stranger) Push(*http.Request) (string, error)  { return "", nil }
func (stranger) Owner(*http.Request) (bool, error)   { return false, http.ErrNoCookie }
func (stranger) Client(*http.Request) (string, bool) { return "", false }
func (stranger) Unchecked(string) bool               { return true }

// A caller that the operator does not know leads the gateway to its own address and the internet alone, and never to
// one that it only names; through a proxy it leads nowhere.
func TestStartsLeadNowhereElse(t *testing.T) {
	m := livevideo.NewMediaServer(t)
	inside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Close()
	called := make(chan struct{}, 100)
	go func() {
		for {
			c, err := inside.Accept()
			if err != nil {
				return
			}
			c.Close()
			called <- struct{}{}
		}
	}()
	g := newGateway(t, func(o *live.Options) { o.Access = stranger{} }, livevideo.New(t))
	for _, target := range []string{"rtmp://" + inside.Addr().String() + "/x/y", "rtmp://localhost" +
		inside.Addr().String()[len("127.0.0.1"):] + "/x/y", "rtmp://169.254.169.254/x/y", "rtmp://[::ffff:10.0.0.1]/x/y",
		"rtmp://2130706433/x/y", "http://" + m.IP + "/x/y", "rtmp:///x", "rtmp://" + m.IP, "rtmp://h:99999/x", "%"} {
		form := url.Values{"source_id": {"c"}, "source_type": {"rtmpConn"}, "rtmp_url": {target}}
		if res, text := m.Call(g.url+"cam/start", form); res.StatusCode != http.StatusForbidden &&
			res.StatusCode != http.StatusBadGateway {
			t.Error(target, res.Status, text)
		}
	}
	form := url.Values{"source_id": {"c"}, "source_type": {"rtmpConn"}}
	res, text := m.Call(g.url+"cam/start", form, "X-Forwarded-For", "192.0.2.1")
	if res.StatusCode != http.StatusForbidden {
		t.Error("through a proxy:", res.Status, text)
	}
	if g.Streams() != 0 || len(called) != 0 || len(m.Paths()) != 0 {
		t.Error(g.Streams(), len(called), m.Paths())
	}
}

// A media server that sends what is no stream ends its own stream and nothing else.
func FuzzRTMP(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0x10, 0, 0})
	f.Add([]byte{6, 0, 0, 0, 0, 0, 7, 9, 1, 0, 0, 0, 0x17, 0, 0, 0, 0, 1, 2})
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		served := make(chan struct{})
		go func() { defer close(served); livevideo.ServeRaw(l, data, false) }()
		u := &url.URL{Scheme: "rtmp", Host: l.Addr().String(), Path: "/a/b"}
		if err := (live.RTMP{}).Pull(t.Context(), u, netip.MustParseAddrPort(l.Addr().String()), drop{}); err == nil {
			t.Error("it ended without a reason")
		}
		<-served
	})
}

// A media server that begins messages and ends none, or sends objects in objects, which are read by recursion, is left
// before that fills memory or stack.
func TestHostileMediaServers(t *testing.T) {
	t.Parallel()
	large := []byte{2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0x10, 0, 0} // chunks of 1 MiB
	for i := range byte(20) {
		large = append(large, 4+i, 0, 0, 0, 0x70, 0, 0, 9, 1, 0, 0, 0) // of a picture of 7 MiB
		large = append(large, make([]byte, 1<<20)...)
	}
	deep := func(kind byte, head string) []byte {
		body := append([]byte(head), bytes.Repeat([]byte{3, 0, 1, 'a'}, 2<<20-2)...)
		return append([]byte{2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0x9f, 0, 0, 3, 0, 0, 0, byte(len(body) >> 16),
			byte(len(body) >> 8), byte(len(body)), kind, 1, 0, 0, 0}, body...)
	}
	for name, data := range map[string][]byte{
		"pictures without an end": large, "a deep command": deep(20, ""), "deep data": deep(18, ""),
		"deep metadata": deep(9, "\x84hvc1"),
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan struct{})
		go func() { defer close(served); livevideo.ServeRaw(l, data, true) }()
		u := &url.URL{Scheme: "rtmp", Host: l.Addr().String(), Path: "/a/b"}
		err = (live.RTMP{}).Pull(t.Context(), u, netip.MustParseAddrPort(l.Addr().String()), drop{})
		if !errors.Is(err, admission.ErrRTMP) {
			t.Error(name, err)
		}
		<-served
		l.Close()
	}
}

type drop struct{}

func (drop) Sound(live.AudioCodec)        {}
func (drop) Video(int64, int64, [][]byte) {}
func (drop) Audio(_ int64, packet []byte) {}

// Copies of the first segments are kept, with a bound and for the owner alone.
func TestTheFirstSegmentsAreSaved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	g := newGateway(t, func(o *live.Options) { o.Save = live.Save{Dir: dir, First: 2} }, livevideo.New(t))
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	v := livevideo.Watch(t, g.url+"cam-out/whep")
	until(t, "pictures of several segments", func() bool { return v.Count() > 120 })
	var files []os.DirEntry
	until(t, "two copies", func() bool { files, _ = os.ReadDir(dir); return len(files) == 2 })
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() == 0 || strings.Contains(f.Name(), "cam") {
			t.Error(f.Name(), info.Mode(), info.Size(), err)
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil || len(data)%188 != 0 || data[0] != 0x47 {
			t.Error("no MPEG-TS:", len(data), err)
		}
	}
}

// A webhook that ends a media server's stream has it end the publisher, with the key of the operator.
func TestARefusedPublisherIsEnded(t *testing.T) {
	m, hook := livevideo.NewMediaServer(t), livevideo.NewService(t)
	hook.Answer(http.StatusForbidden, "")
	o := livevideo.New(t)
	g := newGateway(t, func(o *live.Options) { o.Webhook = live.NewWebhook(hook.URL, "key1") }, o)
	if res, text := m.Start(g.url+"denied/start", "pipeline=noop"); res.StatusCode != http.StatusForbidden ||
		text != "Forbidden\n" {
		t.Error(res.Status, text)
	}
	until(t, "kick", func() bool { return m.Called("POST /v3/rtmpconns/kick/conn-1 ") })
	if g.Streams() != 0 || len(o.Starts()) != 0 || len(m.Paths()) != 0 {
		t.Error("a refused stream cost something")
	}
}
