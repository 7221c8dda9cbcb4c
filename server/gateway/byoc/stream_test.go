package byoc_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/livevideo"
)

// begin begins a stream and returns its addresses.
func (g *gateway) begin(t *testing.T, parameters, body string) map[string]string {
	t.Helper()
	res, text := g.do(t, "POST", "/process/stream/start", job(`{"a":1}`, parameters, 60), "", body)
	var at map[string]string
	if res.StatusCode != http.StatusOK || json.Unmarshal([]byte(text), &at) != nil {
		t.Fatal(res.Status, text)
	}
	return at
}

const everything = `{"enable_video_ingress":true,"enable_video_egress":true,"enable_data_output":true}`

// A stream goes to a worker and back while it is watched; its parameters, status and data pass too, until its stop.
func TestAStream(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, func(x *setup) { x.media = true }, o)
	at := g.begin(t, everything, `{"stream_name":"cam","stream_id":"1","params":"{\"prompt\":\"a\"}"}`)
	base := g.url + "/process/stream/cam-1/"
	for field, want := range map[string]string{"stream_id": "cam-1", "whip_url": base + "whip",
		"update_url": base + "update",
		"status_url": base + "status", "data_url": base + "data", "stop_url": base + "stop", "rtmp_url": "",
		"rtmp_output_url": ""} {
		if got, there := at[field]; !there || got != want {
			t.Errorf("%s: %q", field, got)
		}
	}
	s := o.saw("/ai/stream/start")[0]
	if s.body != `{"params":{"prompt":"a"}}` || s.job.ID != "cam-1" || s.job.Request != `{"a":1,"stream_id":"cam-1"}` {
		t.Errorf("%+v", s)
	}
	livevideo.Publish(t, at["whip_url"])
	v := livevideo.Watch(t, at["whep_url"])
	until(t, "pictures", func() bool { return v.Count() > 20 })

	if res, text := g.do(t, "POST", at["update_url"], "", "", `{"a":2}`); res.StatusCode != 200 ||
		text != `update {"a":2}` {
		t.Error(res.Status, text)
	}
	_ = o.hub.Channel("cam-1-events").Put([]byte(`{"type":"status","inference_status":{"fps":9}}`))
	until(t, "status", func() bool {
		_, text := g.do(t, "GET", at["status_url"], "", "", "")
		return strings.Contains(text, `"fps":9`) && strings.Contains(text, `"orchestrator":"`+o.srv.URL+`"`) &&
			!strings.Contains(text, "gateway_status")
	})
	data := g.read(t, at["data_url"])
	_ = o.hub.Channel("cam-1-data").Put([]byte("{\"n\":1}\n\n{\"n\":\r2}\n"))
	for _, want := range []string{`data: {"n":1}`, "", `data: {"n": 2}`, ""} {
		if got := <-data; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if res, text := g.do(t, "POST", at["stop_url"], "", "", `{"why":"done"}`); res.StatusCode != 200 ||
		text != `stop {"why":"done"}` {
		t.Error(res.Status, text)
	}
	for range data { // it ends
	}
	until(t, "closed channels", func() bool {
		return o.hub.Channel("cam-1") == nil && o.hub.Channel("cam-1-control") == nil
	})
	if n := len(o.saw("/ai/stream/stop")); n != 1 {
		t.Errorf("stopped %d times", n)
	}
	if res, text := g.do(t, "POST", at["stop_url"], "", "", "{}"); res.StatusCode != 200 {
		t.Error("a second stop:", res.Status, text)
	}
}

// read reads a stream's data, from the moment it returns.
func (g *gateway) read(t *testing.T, url string) <-chan string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatal(res, err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return lines(res.Body)
}

// When an orchestrator is killed the stream goes on at another one, with its last update.
func TestAStreamChangesItsOrchestrator(t *testing.T) {
	t.Parallel()
	first, second := newOrchestrator(t), newOrchestrator(t)
	g := newGateway(t, func(x *setup) { x.media = true }, first)
	at := g.begin(t, everything, `{"stream_id":"s"}`)
	livevideo.Publish(t, at["whip_url"])
	v := livevideo.Watch(t, at["whep_url"])
	until(t, "pictures", func() bool { return v.Count() > 5 })
	g.do(t, "POST", at["update_url"], "", "", `{"a":2}`)
	g.mu.Lock()
	g.list = []string{second.srv.URL}
	g.mu.Unlock()
	first.kill()
	n := v.Count()
	until(t, "pictures of the second one", func() bool { return v.Count() > n+5 })
	if up := second.saw("/ai/stream/update"); len(up) != 1 || up[0].body != `{"a":2}` || up[0].job.ID != "s" {
		t.Errorf("%+v", up)
	}
	_, text := g.do(t, "GET", at["status_url"], "", "", "")
	if !strings.Contains(text, second.srv.URL) {
		t.Error(text)
	}
}

// What cannot begin is refused: by the orchestrator's own answer where the request is the cause, else with a code.
func TestStreamsThatDoNotBegin(t *testing.T) {
	t.Parallel()
	o, other := newOrchestrator(t), newOrchestrator(t)
	g := newGateway(t, func(x *setup) { x.Limits.Streams = 4 }, o)
	start := func(body string) (*http.Response, string) {
		return g.do(t, "POST", "/process/stream/start", job("{}", "{}", 10), "", body)
	}
	for _, body := range []string{"x", `{"stream_id":"a/b"}`, `{"stream_name":"a b"}`, `{"rtmp_output":"rtmp://x"}`,
		`{"params":"{"}`, `{"stream_id":"` + strings.Repeat("x", 65) + `"}`} {
		res, text := start(body)
		refused(t, res, text, http.StatusBadRequest, "CapabilityJobInvalid")
	}
	answer := 0
	o.stream = func(w http.ResponseWriter, r *http.Request) bool {
		if answer != 0 {
			http.Error(w, "why", answer)
		}
		return answer != 0
	}
	g.list = append(g.list, other.srv.URL)
	other.stream = o.stream
	answer = 422
	if res, text := start(""); res.StatusCode != 422 || text != "why\n" ||
		len(o.saw("/ai/stream/start"))+len(other.saw("/ai/stream/start")) != 1 {
		t.Error(res.Status, text)
	}
	answer = 500
	res, text := start("")
	refused(t, res, text, http.StatusBadGateway, "JobFailed")
	if len(o.saw("/ai/stream/start"))+len(other.saw("/ai/stream/start")) != 3 {
		t.Error("the other one was not tried")
	}
	answer = 0
	at := g.begin(t, "{}", `{"stream_id":"s"}`)
	if at["whip_url"] != "" || at["whep_url"] != "" || at["data_url"] != "" {
		t.Error(at)
	}
	res, text = start(`{"stream_id":"s"}`)
	refused(t, res, text, http.StatusBadRequest, "CapabilityStreamExists")
	res, text = g.do(t, "GET", at["stop_url"][:len(at["stop_url"])-4]+"data", "", "", "")
	refused(t, res, text, http.StatusServiceUnavailable, "CapabilityNoData")
	res, text = g.do(t, "POST", "/process/stream/s/whip", "", "", "v=0")
	refused(t, res, text, http.StatusNotFound, "StreamNotFound")
	res, text = g.do(t, "GET", "/process/stream/none/status", "", "", "")
	refused(t, res, text, http.StatusNotFound, "StreamNotFound")
	if id := g.begin(t, "{}", "")["stream_id"]; len(id) != 32 {
		t.Error(id)
	}
	res, text = start("") // one client has half of the streams
	refused(t, res, text, http.StatusServiceUnavailable, "StreamsFull")
}

// An orchestrator that names channels elsewhere makes the gateway call no other host; one that names none is no use.
func TestChannelsElsewhere(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	called := make(chan string, 10)
	elsewhere := newOrchestrator(t)
	elsewhere.token = func(http.ResponseWriter, *http.Request) bool { called <- "token"; return false }
	o.stream = func(w http.ResponseWriter, r *http.Request) bool {
		if r.PathValue("what") != "start" {
			return false
		}
		w.Header().Set("X-Data-Url", elsewhere.srv.URL+"/ai/trickle/x")
		return true
	}
	g := newGateway(t, nil, o)
	res, text := g.do(t, "POST", "/process/stream/start", job("{}", everything, 10), "", "")
	refused(t, res, text, http.StatusBadGateway, "OrchestratorUnusable")
	o.stream = func(w http.ResponseWriter, r *http.Request) bool {
		if r.PathValue("what") != "start" {
			return false
		}
		for _, h := range []string{"X-Publish-Url", "X-Subscribe-Url", "X-Control-Url", "X-Events-Url", "X-Data-Url"} {
			w.Header().Set(h, elsewhere.srv.URL+"/process/token")
		}
		return true
	}
	g.begin(t, everything, "")
	until(t, "request at the orchestrator itself", func() bool { return len(o.saw("/process/token/")) > 0 })
	if len(elsewhere.saw("/")) != 0 {
		t.Error("another host was called")
	}
}

// A stream that takes video ends without a publisher, at the orchestrator too.
func TestAStreamWithoutAPublisher(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, func(x *setup) { x.media, x.Limits.Idle = true, 200*time.Millisecond }, o)
	at := g.begin(t, everything, "")
	until(t, "stop", func() bool { return len(o.saw("/ai/stream/stop")) == 1 })
	until(t, "end", func() bool {
		_, text := g.do(t, "GET", at["status_url"], "", "", "")
		return strings.Contains(text, "no publisher")
	})
	res, text := g.do(t, "POST", at["whip_url"], "", "", "v=0")
	if res.StatusCode != http.StatusNotFound {
		t.Error(res.Status, text)
	}
}

// A drain refuses what is new and waits for what runs.
func TestDrain(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	begun, end := make(chan struct{}), make(chan struct{})
	o.request = func(w http.ResponseWriter, _ *http.Request) bool {
		close(begun)
		<-end
		io.WriteString(w, "done")
		return true
	}
	g := newGateway(t, nil, o)
	got := make(chan string, 1)
	go func() { _, text := g.do(t, "POST", "/process/request/x", job("{}", "", 10), "", ""); got <- text }()
	<-begun
	drained := make(chan error, 1)
	go func() { drained <- g.Drain(t.Context()) }()
	until(t, "refusal", func() bool {
		_, text := g.do(t, "POST", "/process/request/x", job("{}", "", 10), "", "")
		return strings.Contains(text, "Draining")
	})
	select {
	case <-drained:
		t.Error("the job was not waited for")
	default:
	}
	close(end)
	if text := <-got; text != "done" {
		t.Error(text)
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

// A publisher that comes back, or another one, goes on with the stream; viewers stay, and their time goes on.
func TestAPublisherComesBack(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, func(x *setup) { x.media = true }, o)
	at := g.begin(t, everything, "")
	first := livevideo.Publish(t, at["whip_url"])
	v := livevideo.Watch(t, at["whep_url"])
	until(t, "pictures", func() bool { return v.Count() > 10 })
	first.Close()
	n := v.Count()
	livevideo.Publish(t, at["whip_url"])
	until(t, "pictures of the second publisher", func() bool { return v.Count() > n+10 })
	if len(o.saw("/ai/stream/start")) != 1 || len(o.saw("/ai/stream/stop")) != 0 {
		t.Error("the stream did not go on")
	}
	_, times := v.Pictures()
	for i := 1; i < len(times); i++ {
		if step := int32(times[i] - times[i-1]); step <= 0 {
			t.Error("time stamps:", step)
		}
	}
}
