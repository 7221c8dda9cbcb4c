package gateway

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/encoder"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/livevideo"
)

const (
	keyA, keyB = "tk-suite-aaaaaaaaaaaaaaaa", "tk-suite-bbbbbbbbbbbbbbbb"
	livePath   = "/live/video-to-video/"
)

// twoKeys is a file with the keys.
func twoKeys(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "keys.json")
	list := fmt.Sprintf(`[{"name":"a","key":%q},{"name":"b","key":%q}]`, keyA, keyB)
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// startLive starts an open gateway of live video with two keys. rtmp is where encoders publish.
func startLive(t *testing.T, o *livevideo.Orchestrator) (g *target, rtmp string) {
	t.Helper()
	front, rtmp := harness.Address(t), harness.Address(t)
	g = &target{T: t, base: "http://" + front, dir: t.TempDir()}
	g.node = harness.Start(t, binary, "-gateway", "-orchAddr", o.URI(), "-httpAddr", front, "-cliAddr",
		harness.Address(t), "-dataDir", g.dir, "-liveMediaAddr", harness.Address(t), "-rtmpAddr", rtmp, "-streamAccess",
		"open", "-apiKeys", twoKeys(t))
	g.node.WaitHTTP(g.base + "/healthz")
	return g, rtmp
}

// liveAsk sends a request about a live stream from an address with a key, "" for none.
func (g *target) liveAsk(from, key, method, path, mime, body string) int {
	g.Helper()
	r, err := http.NewRequestWithContext(g.Context(), method, g.base+livePath+path, strings.NewReader(body))
	if err != nil {
		g.Fatal(err)
	}
	r.Header.Set("Content-Type", mime)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := clientAt(from).Do(r)
	if err != nil {
		g.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

// whip offers a stream that never comes.
func (g *target) whip(from, key, name string) int {
	g.Helper()
	return g.liveAsk(from, key, http.MethodPost, name+"/whip?pipeline=noop", "application/sdp",
		strings.ReplaceAll(`v=0
o=- 42 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0
m=video 9 UDP/TLS/RTP/SAVPF 102
c=IN IP4 0.0.0.0
a=ice-ufrag:abcd
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=fingerprint:sha-256 `+strings.TrimSuffix(strings.Repeat("AB:", 32), ":")+`
a=setup:actpass
a=mid:0
a=sendonly
a=rtcp-mux
a=rtpmap:102 H264/90000
a=fmtp:102 packetization-mode=1;profile-level-id=42e01f
`, "\n", "\r\n"))
}

// bearer sends requests with a key.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestALiveStreamIsItsPublishers: where everyone may publish, neither another key nor a client without one replaces,
// changes, ends or reads a live stream of a key, by WHIP, through a media server or by RTMP, and its viewer sees it on.
func TestALiveStreamIsItsPublishers(t *testing.T) {
	t.Parallel()
	o, film := livevideo.New(t), published(t)
	g, rtmp := startLive(t, o)
	livevideo.PublishBy(t, &http.Client{Transport: bearer(keyA)}, g.base+livePath+"cam/whip?pipeline=noop&streamId=film")
	v := livevideo.Watch(t, g.base+livePath+"cam-out/whep")
	g.node.Wait("pictures", 30*time.Second, func() bool { return v.Count() > 20 })
	const form = "application/x-www-form-urlencoded"
	for _, thief := range []struct{ what, from, key string }{
		{"another key", owner, keyB}, {"this machine", owner, ""}, {"a stranger", attacker, ""},
		{"an invented key", attacker, "tk-suite-cccccccccccccccc"},
	} {
		if status := g.whip(thief.from, thief.key, "cam"); status != http.StatusForbidden {
			t.Errorf("%s publishes: %d", thief.what, status)
		}
		for call, want := range map[string]int{"POST cam/start": 403, "POST cam/update": 403, "GET film/status": 403,
			"DELETE cam/whip/0123456789abcdef": 405} {
			method, path, _ := strings.Cut(call, " ")
			if status := g.liveAsk(thief.from, thief.key, method, path, form,
				"source_id=c&source_type=rtmpConn"); status != want {
				t.Errorf("%s, %s: %d", thief.what, call, status)
			}
		}
		if status := g.whip(thief.from, thief.key, "film"); status != http.StatusForbidden {
			t.Errorf("%s publishes by the stream's id: %d", thief.what, status)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for _, key := range []string{"", "/" + keyB} {
		err := encoder.Publish(ctx, "rtmp://"+rtmp+livePath+"cam"+key, film, time.Millisecond, 1000)
		if err == nil || ctx.Err() != nil {
			t.Error("another client publishes by RTMP:", err)
		}
	}
	n := v.Count()
	g.node.Wait("more pictures", 30*time.Second, func() bool { return v.Count() > n+20 })
	if len(o.Starts()) != 1 || o.Got("source_id=c") {
		t.Error("others reached the stream:", o.Starts())
	}
	if status := g.liveAsk(attacker, keyA, "GET", "film/status", "", ""); status != http.StatusOK {
		t.Error("the owner reads its status:", status)
	}
}

// TestALiveStreamByRTMPIsItsPublishers: the same of a stream that came by RTMP.
func TestALiveStreamByRTMPIsItsPublishers(t *testing.T) {
	t.Parallel()
	o, film := livevideo.New(t), published(t)
	g, rtmp := startLive(t, o)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- encoder.Publish(ctx, "rtmp://"+rtmp+livePath+"cam/"+keyA+"?pipeline=noop", film, time.Second, 0)
	}()
	defer func() { cancel(); <-done }()
	g.node.Wait("the stream", 30*time.Second, func() bool { return len(o.Starts()) == 1 })
	for what, status := range map[string]int{"another key": g.whip(owner, keyB, "cam"), "a stranger": g.whip(attacker, "",
		"cam"), "a stranger's update": g.liveAsk(attacker, "", "POST", "cam/update", "", "{}")} {
		if status != http.StatusForbidden {
			t.Errorf("%s: %d", what, status)
		}
	}
	if status := g.liveAsk(attacker, keyA, "POST", "cam/update", "", `{"prompt":"b"}`); status != http.StatusOK {
		t.Error("the owner's update:", status)
	}
	g.node.Wait("the owner's parameters", 30*time.Second, func() bool { return o.Got(`{"prompt":"b"}`) })
	select {
	case err := <-done:
		t.Error("the owner's stream ended:", err)
		done <- err
	default:
	}
}

// TestAStrangerLeavesLiveStreamsToOthers: where everyone may publish, an address without a key has few live streams.
func TestAStrangerLeavesLiveStreamsToOthers(t *testing.T) {
	t.Parallel()
	g, _ := startLive(t, livevideo.New(t))
	begun := 0
	for n := range 150 {
		if g.whip(attacker, "", fmt.Sprintf("spam%d", n)) == http.StatusCreated {
			begun++
		}
	}
	// Those of which no picture comes end after a while.
	if begun == 0 || begun > 20 {
		t.Errorf("of 150 streams of a stranger %d began", begun)
	}
	for what, status := range map[string]int{"a key": g.whip(attacker, keyA, "a"), "this machine": g.whip(owner, "",
		"b"), "another stranger": g.whip("127.0.1.67", "", "c")} {
		if status != http.StatusCreated {
			t.Errorf("%s: %d", what, status)
		}
	}
}

// TestAStrangerBeginsFewLiveStreams: where everyone may publish, an address without a key that publishes one stream
// after another, each of which takes the place of the one before, has few of them begun at orchestrators.
func TestAStrangerBeginsFewLiveStreams(t *testing.T) {
	t.Parallel()
	const atOnce = 17
	o := livevideo.New(t)
	g, _ := startLive(t, o)
	begun, from := 0, time.Now()
	for range 300 {
		if g.whip(attacker, "", "spam") == http.StatusCreated {
			begun++
		}
	}
	most := atOnce + int(time.Since(from)/time.Second) + 1
	if begun == 0 || begun > most || len(o.Starts()) > most {
		t.Errorf("of 300 streams of a stranger %d began, %d at an orchestrator", begun, len(o.Starts()))
	}
	for what, status := range map[string]int{"a key": g.whip(attacker, keyA, "a"), "another stranger": g.whip("127.0.1.67",
		"", "c")} {
		if status != http.StatusCreated {
			t.Errorf("%s: %d", what, status)
		}
	}
}
