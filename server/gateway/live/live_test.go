package live_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

// What a client publishes by WHIP comes back from the runner, and viewers see it by WHEP: pictures whole and in
// order, with their sound.
func TestAStreamIsTransformedWhileItIsWatched(t *testing.T) {
	o := livevideo.New(t)
	g := newGateway(t, nil, o)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop&streamId=s1&params=%7B%22prompt%22%3A%22a%22%7D")
	v := livevideo.Watch(t, g.url+"cam-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 40 })
	numbers, times := v.Pictures()
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			t.Error("out of order:", numbers[i-1], numbers[i])
		}
		if step := int32(times[i] - times[i-1]); step <= 0 || step > 9000 {
			t.Error("time stamps:", step)
		}
	}
	until(t, "parameter sets and sound", v.Whole)
	start := o.Starts()[0]
	if start["model_id"] != "noop" || start["stream_id"] != "s1" || start["gateway_request_id"] == "" ||
		start["params"].(map[string]any)["prompt"] != "a" {
		t.Error(start)
	}
	if res, text := livevideo.Do(t,
		"POST", g.url+"cam/update", "application/json", `{"prompt":"b"}`); res.StatusCode != http.StatusOK {
		t.Error(res.Status, text)
	}
	until(t, "parameters", func() bool { return o.Got(`{"prompt":"b"}`) && o.Got(`{"keep":"alive"}`) })
	_ = o.Hub.Channel("m0-events").Put([]byte(`{"queue_event_type":"x","event":{"type":"status","state":"ONLINE",` +
		`"inference_status":{"fps":10,"last_params":null}}}`))
	until(t, "status", func() bool {
		_, text := livevideo.Do(t, "GET", g.url+"s1/status", "", "")
		var got map[string]any
		if json.Unmarshal([]byte(text), &got) != nil || got["state"] != "ONLINE" {
			return false
		}
		whep := got["gateway_status"].(map[string]any)["whep_url"].(string)
		return got["stream_id"] == "s1" && strings.HasPrefix(whep, g.url+"cam-") && strings.HasSuffix(whep, "-out/whep")
	})
}

// When an orchestrator is killed the stream goes on at another one: the viewer's connection stays, its time
// stamps go on, and the latest parameters are there.
func TestAViewerStaysWhenTheOrchestratorChanges(t *testing.T) {
	first, second := livevideo.New(t), livevideo.New(t)
	g := newGateway(t, nil, first, second)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	v := livevideo.Watch(t, g.url+"cam-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 20 })
	livevideo.Do(t, "POST", g.url+"cam/update", "", `{"prompt":"b"}`)
	g.network.mu.Lock()
	g.network.list = []live.Orchestrator{second}
	g.network.mu.Unlock()
	began := time.Now()
	first.Kill()
	n := v.Count()
	until(t, "pictures of the second orchestrator", func() bool { return v.Count() > n+20 })
	if took := time.Since(began); took > 8*time.Second {
		t.Error("the change took", took)
	}
	until(t, "the parameters", func() bool { return second.Got(`{"prompt":"b"}`) })
	_, times := v.Pictures()
	for i := 1; i < len(times); i++ {
		if step := int32(times[i] - times[i-1]); step <= 0 || step > 4*90000 {
			t.Error("time stamps:", step)
		}
	}
}

// Parameters reach the runner though a message is lost on the way, and no later message overtakes them: a reader of
// the control channel that meets the later one first does not go back.
func TestParametersAreNeitherLostNorOvertaken(t *testing.T) {
	o := livevideo.New(t)
	const params = `{"prompt":"b"}`
	var lost, overtaken atomic.Bool
	other := make(chan struct{}, 1)
	o.Control = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return false
		}
		r.Body = io.NopCloser(bytes.NewReader(data))
		switch {
		case string(data) != params:
			select {
			case other <- struct{}{}:
			default:
			}
		case !lost.Swap(true):
			w.WriteHeader(http.StatusInternalServerError)
			return true
		default:
			select {
			case <-other:
			default:
			}
			select {
			case <-other:
				overtaken.Store(true)
			case <-time.After(300 * time.Millisecond): // several times Keep
			}
		}
		return false
	}
	g := newGateway(t, nil, o)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	until(t, "stream", func() bool { return len(o.Starts()) == 1 })
	livevideo.Do(t, "POST", g.url+"cam/update", "", params)
	until(t, "the parameters", func() bool { return o.Got(params) && o.Got(`{"keep":"alive"}`) })
	if !lost.Load() || overtaken.Load() {
		t.Error("lost:", lost.Load(), "overtaken:", overtaken.Load())
	}
}

// An orchestrator that sends no output, though there is input, is left for another one.
func TestASilentOrchestratorIsLeft(t *testing.T) {
	silent, good := livevideo.New(t), livevideo.New(t)
	silent.Mute = true
	g := newGateway(t, func(o *live.Options) { o.Limits.OutputSilence = 500 * time.Millisecond }, silent, good)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	v := livevideo.Watch(t, g.url+"cam-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 20 })
	if len(silent.Starts()) != 1 || silent.Segments() == 0 {
		t.Error("the stream was not there first")
	}
}

// A stream that finds no orchestrator ends, and its status says why; a publisher that leaves ends it too.
func TestTheEndOfAStream(t *testing.T) {
	full := livevideo.New(t)
	full.Refuse = &live.RefusedError{Status: 503, Text: "insufficient capacity"}
	g := newGateway(t, nil, full)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	until(t, "end", func() bool { return g.Streams() == 0 })
	_, text := livevideo.Do(t, "GET", g.url+"cam/status", "", "")
	if !strings.Contains(text, "no orchestrators available") {
		t.Error(text)
	}
	o := livevideo.New(t)
	g.network.list = []live.Orchestrator{o}
	p := livevideo.Publish(t, g.url+"two/whip?pipeline=noop")
	v := livevideo.Watch(t, g.url+"two-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 5 })
	p.Close()
	until(t, "end", func() bool { return g.Streams() == 0 })
	until(t, "closed channels", func() bool { return o.Hub.Channel("m0") == nil && o.Hub.Channel("m0-control") == nil })
	if res, text := livevideo.Do(t, "POST", g.url+"two/update", "", "{}"); res.StatusCode != http.StatusNotFound {
		t.Error(res.Status, text)
	}
}

// Viewers of a stream are bounded, and so are streams.
func TestLimits(t *testing.T) {
	o := livevideo.New(t)
	g := newGateway(t, func(o *live.Options) { o.Limits.Streams, o.Limits.Viewers = 1, 1 }, o)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	livevideo.Watch(t, g.url+"cam-out/whep")
	if res, text := livevideo.Do(t, "POST", g.url+"cam-out/whep", "application/sdp", "v=0"); res.StatusCode != 429 ||
		text != "Too many viewers for this stream\n" {
		t.Error(res.Status, text)
	}
	if res, text := livevideo.Do(t, "POST", g.url+"other/whip", "application/sdp", offer); res.StatusCode != 503 {
		t.Error(res.Status, text)
	}
}

// offer is a publisher's, as browsers send it.
var offer = strings.ReplaceAll(`v=0
o=- 4611733003961 2 IN IP4 127.0.0.1
s=-
t=0 0
a=group:BUNDLE 0
a=msid-semantic: WMS
m=video 9 UDP/TLS/RTP/SAVPF 102
c=IN IP4 0.0.0.0
a=rtcp:9 IN IP4 0.0.0.0
a=ice-ufrag:abcd
a=ice-pwd:abcdefghijklmnopqrstuvwx
a=ice-options:trickle
a=candidate:1 1 udp 2130706431 192.0.2.1 9 typ host
a=fingerprint:sha-256 `+strings.TrimSuffix(strings.Repeat("AB:", 32), ":")+`
a=setup:actpass
a=mid:0
a=sendonly
a=rtcp-mux
a=rtpmap:102 H264/90000
a=rtcp-fb:102 nack pli
a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f
`, "\n", "\r\n")

// cutBody breaks its request off once it is cut.
type cutBody struct {
	io.ReadCloser
	cut *atomic.Bool
}

// Read reads until it is cut.
func (b cutBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.cut.Load() {
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// TestAnOrchestratorThatIsGoneIsLeftAtOnce: what feeds an orchestrator notices that it takes nothing more, no look at
// the limits of time does.
func TestAnOrchestratorThatIsGoneIsLeftAtOnce(t *testing.T) {
	first, second := livevideo.New(t), livevideo.New(t)
	var gone atomic.Bool
	first.Input = func(_ http.ResponseWriter, r *http.Request) bool {
		r.Body = cutBody{r.Body, &gone}
		return false
	}
	g := newGateway(t, func(o *live.Options) { o.Limits.Watch = time.Hour }, first, second)
	livevideo.Publish(t, g.url+"cam/whip?pipeline=noop")
	v := livevideo.Watch(t, g.url+"cam-out/whep")
	until(t, "pictures", func() bool { return v.Count() > 20 })
	g.network.mu.Lock()
	g.network.list = []live.Orchestrator{second}
	g.network.mu.Unlock()
	gone.Store(true)
	until(t, "segments at the second orchestrator", func() bool { return second.Segments() > 0 })
}
