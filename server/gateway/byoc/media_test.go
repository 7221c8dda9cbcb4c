package byoc_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/test/livevideo"
)

// A media server publishes to a stream: it is read there by RTMP under the stream's id, again after a break, until
// another publisher takes its place. With the stream its publisher at the media server ends.
func TestAMediaServerPublishes(t *testing.T) {
	t.Parallel()
	o, m := newOrchestrator(t), livevideo.NewMediaServer(t)
	g := newGateway(t, func(x *setup) { x.media = true; x.here() }, o)
	at := g.begin(t, everything, `{"stream_name":"cam","stream_id":"1"}`)
	start := g.url + "/process/stream/cam-1/rtmp"
	if res, text := m.Start(start, ""); res.StatusCode != http.StatusOK || text != "" {
		t.Fatal(res.Status, text)
	}
	v := livevideo.Watch(t, at["whep_url"])
	until(t, "pictures", func() bool { return v.Count() > 20 })
	if got := m.Paths(); got[0] != "/cam-1" || !m.Called("GET /v3/rtmpconns/get/conn-1 ") {
		t.Error(got, m.Calls())
	}
	m.Break()
	n := v.Count()
	until(t, "pictures after a break", func() bool { return v.Count() > n+20 })

	first := livevideo.Publish(t, at["whip_url"])
	n = v.Count()
	until(t, "pictures by WHIP", func() bool { return v.Count() > n+20 })
	if m.Called("POST") {
		t.Error("a publisher whose place was taken is none of ours:", m.Calls())
	}
	m.Start(start, "")
	read := len(m.Paths())
	until(t, "the stream of the media server", func() bool { return len(m.Paths()) >= read && v.Count() > n+40 })
	first.Close()
	n = v.Count()
	until(t, "pictures of the media server", func() bool { return v.Count() > n+20 })
	_, times := v.Pictures()
	for i := 1; i < len(times); i++ {
		if step := int32(times[i] - times[i-1]); step <= 0 {
			t.Error("time stamps:", step)
		}
	}
	g.do(t, "POST", at["stop_url"], "", "", "{}")
	until(t, "kick", func() bool { return m.Called("POST /v3/rtmpconns/kick/conn-1 ") })
	if res, text := m.Start(start, ""); res.StatusCode != http.StatusNotFound {
		t.Error("after the end:", res.Status, text)
	}
	if len(o.saw("/ai/stream/start")) != 1 {
		t.Error("the stream did not go on")
	}
}

// Calls of media servers that are wrong are refused in the words of the network's gateways, and change nothing. So are
// those for streams that take no video, or are none, and addresses that are not for media.
func TestMediaServersThatAreRefused(t *testing.T) {
	t.Parallel()
	o, m := newOrchestrator(t), livevideo.NewMediaServer(t)
	g := newGateway(t, func(x *setup) { x.media = true; x.here() }, o)
	g.begin(t, everything, `{"stream_id":"in"}`)
	g.begin(t, "{}", `{"stream_id":"none"}`)
	at := func(stream string) string { return g.url + "/process/stream/" + stream + "/rtmp" }
	for want, form := range map[string]url.Values{
		"Missing source_id\n":    {"source_type": {"rtmpConn"}},
		"Missing source_type\n":  {"source_id": {"a"}},
		"unknown media source\n": {"source_id": {"a"}, "source_type": {"srtConn"}},
		"Invalid model params\n": {"source_id": {"a"}, "source_type": {"rtmpConn"}, "query": {"params=%7B"}},
	} {
		if res, text := m.Call(at("in"), form); res.StatusCode != http.StatusBadRequest || text != want {
			t.Errorf("%s %q, want %q", res.Status, text, want)
		}
	}
	good := url.Values{"source_id": {"a"}, "source_type": {"rtmpConn"}}
	res, text := m.Call(at("none"), good)
	refused(t, res, text, http.StatusNotFound, "StreamNotFound")
	res, text = m.Call(at("unknown"), good)
	refused(t, res, text, http.StatusNotFound, "StreamNotFound")
	res, text = g.do(t, "GET", at("in"), "", "", "")
	refused(t, res, text, http.StatusMethodNotAllowed, "MethodNotAllowed")
	for _, source := range []string{"http://" + m.IP + "/x", "rtmp:///x", "rtmp://" + m.IP} {
		good.Set("rtmp_url", source)
		if res, text := m.Call(at("in"), good); res.StatusCode != http.StatusForbidden || !strings.Contains(text, "rtmp://") {
			t.Error(source, res.Status, text)
		}
	}
	if len(m.Paths()) != 0 {
		t.Error(m.Paths())
	}
}

// While there is no key, a media server next to the gateway has publishers of all clients, one elsewhere has none of
// another client's.
func TestMediaServersOfOthers(t *testing.T) {
	t.Parallel()
	_, hook := newService(t)
	g := newGateway(t, func(x *setup) {
		x.media = true
		x.Keys, x.CheckLocal, x.webhook = apikeys.New(apikeys.Options{Now: time.Now}), own, hook
	}, newOrchestrator(t))
	res, text := g.at(t, "127.0.0.2", "POST", "/process/stream/start", job("{}", everything, 60), `{"stream_id":"s"}`)
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	const start = "/process/stream/s/rtmp"
	for _, address := range []string{"127.0.0.1", "127.0.0.2"} {
		if res, text := g.at(t, address, "POST", start, "", ""); res.StatusCode != http.StatusBadRequest ||
			text != "Missing source_id\n" {
			t.Error(address, res.Status, text)
		}
	}
	res, text = g.at(t, "127.0.0.3", "POST", start, "", "")
	refused(t, res, text, http.StatusForbidden, "StreamDenied")
	res, text = g.at(t, "127.0.0.1", "POST", "/process/stream/s/whip", "", "v=0")
	refused(t, res, text, http.StatusForbidden, "StreamDenied")
}

// here makes all loopback addresses this machine's, which is the only client.
func (x *setup) here() {
	x.Keys = apikeys.New(apikeys.Options{Now: time.Now})
	x.CheckLocal = func(*http.Request) error { return nil }
}

// An orchestrator that closes a stream's channels while it is asked to stop is not left for another one.
func TestAStopIsNoReasonToBeginAgain(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	var g *gateway
	var status string
	o.stream = func(w http.ResponseWriter, r *http.Request) bool {
		if r.PathValue("what") == "stop" {
			o.closeChannels("s")
			until(t, "the work's end", func() bool {
				_, text := g.do(t, "GET", status, "", "", "")
				return strings.Contains(text, `"orchestrator":""`) || len(o.saw("/ai/stream/start")) > 1
			})
		}
		return false
	}
	g = newGateway(t, nil, o)
	at := g.begin(t, "{}", `{"stream_id":"s"}`)
	status = at["status_url"]
	asked := len(o.saw("/process/token"))
	if res, text := g.do(t, "POST", at["stop_url"], "", "", "{}"); res.StatusCode != http.StatusOK || text != "stop {}" {
		t.Error(res.Status, text)
	}
	if n, more := len(o.saw("/ai/stream/start")), len(o.saw("/process/token"))-asked; n != 1 || more != 0 {
		t.Errorf("it began %d times, and asked for terms %d times more", n, more)
	}
}

// outputs is an RTMP server that counts.
type outputs struct {
	mu       sync.Mutex
	opened   []string
	pictures int
	closed   int
}

func (f *outputs) open(_ context.Context, address string, sps, pps []byte, _ *live.Sound) (live.Restreamer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.opened = append(f.opened, address)
	return f, nil
}

func (f *outputs) WriteVideo(_, _ time.Duration, _ [][]byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pictures++
	return nil
}

func (f *outputs) WriteSound(time.Duration, []byte) error { return nil }

func (f *outputs) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed++
	return nil
}

func (f *outputs) counted() (pictures, closed int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pictures, f.closed
}

// The result goes to the RTMP servers that the client names, until the stream ends.
func TestTheResultGoesToRTMPServers(t *testing.T) {
	t.Parallel()
	o, f := newOrchestrator(t), &outputs{}
	g := newGateway(t, func(x *setup) { x.media, x.restream = true, f.open }, o)
	list := []string{"rtmp://media.example.org/live/key", "rtmps://other.example.org/live/key"}
	at := g.begin(t, everything, `{"stream_id":"s","rtmp_output":"`+strings.Join(list, ",")+`"}`)
	if at["rtmp_output_url"] != strings.Join(list, ",") {
		t.Error(at)
	}
	livevideo.Publish(t, at["whip_url"])
	until(t, "pictures", func() bool { n, _ := f.counted(); return n > 40 })
	g.do(t, "POST", at["stop_url"], "", "", "{}")
	until(t, "the end of the outputs", func() bool { _, n := f.counted(); return n >= len(list) })
	for _, want := range list {
		if !strings.Contains(strings.Join(f.opened, " "), want) {
			t.Errorf("%s is not among %q", want, f.opened)
		}
	}
	res, text := g.do(t, "POST", "/process/stream/start", job("{}", `{"enable_video_ingress":true}`, 10), "",
		`{"rtmp_output":"`+list[0]+`"}`)
	refused(t, res, text, http.StatusBadRequest, "CapabilityJobInvalid")
}
