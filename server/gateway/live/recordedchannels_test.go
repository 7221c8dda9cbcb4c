package live_test

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/trickle"
	"github.com/tuttinode/tutti/test/livevideo"
)

// observed is an orchestrator whose channels are at a server that remembers what is requested of them.
type observed struct {
	*livevideo.Orchestrator
	srv *httptest.Server

	mu sync.Mutex
	// lines are requests as in the recording, in the order in which they came; types are their content types.
	lines []string
	types map[string]string
}

func observe(t *testing.T) *observed {
	t.Helper()
	o := &observed{Orchestrator: livevideo.New(t), types: make(map[string]string)}
	channels := o.Hub.Handler("/ai/trickle/")
	o.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := r.Method + " " + strings.Replace(r.URL.Path, "/m0", "/<id8-2>", 1)
		o.mu.Lock()
		o.lines = append(o.lines, line)
		o.types[line] = r.Header.Get("Content-Type")
		o.mu.Unlock()
		channels.ServeHTTP(w, r)
	}))
	o.Elsewhere = o.srv.URL
	t.Cleanup(func() { o.Kill(); o.srv.CloseClientConnections(); o.srv.Close() })
	return o
}

// URI is that of the server with the channels.
func (o *observed) URI() string { return o.srv.URL }

// asked are the requests of one channel, each once.
func (o *observed) asked(channel string) (out []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return ofChannel(o.lines, channel)
}

func ofChannel(lines []string, channel string) (out []string) {
	for _, line := range lines {
		path := strings.Split(strings.Fields(line)[1], "/")
		if path[3] == channel && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// recordedStart is the recorded request that begins a stream, and the recorded requests of its channels: those of the
// beginning and those of the end.
type recordedStart struct {
	Start []struct {
		Body map[string]any
	}
	Trickle []struct {
		Request string
		Skipped string `json:"..."`
	}
	begin, end []string
}

func readStart(t *testing.T) *recordedStart {
	t.Helper()
	data, err := os.ReadFile("../../../test/vectors/live/live_gateway_to_orch.json")
	var doc recordedStart
	if err == nil {
		err = json.Unmarshal(data, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	to := &doc.begin
	for _, step := range doc.Trickle {
		if step.Skipped != "" {
			to = &doc.end
		} else if step.Request != "" {
			*to = append(*to, step.Request)
		}
	}
	return &doc
}

// A gateway asks of an orchestrator and its channels what the recorded gateway did, in its order: it connects in
// advance, reads from what comes next, numbers without gaps, and closes the control channel and the input at the end.
func TestRecordedChannels(t *testing.T) {
	o, m, beat := observe(t), livevideo.NewMediaServer(t), livevideo.NewService(t)
	g := newGateway(t, func(x *live.Options) {
		x.Limits.Keep = time.Second
		x.Channels = trickle.NewHTTPClient(&tls.Config{InsecureSkipVerify: true}, nil)
		t.Cleanup(x.Channels.CloseIdleConnections)
	}, o)
	want := readStart(t)
	m.Start(g.url+"stream1/start", "pipeline=noop&streamId=sid-stream1&params=%7B%22prompt%22%3A%22a%20cat%22%7D")
	g.sameStart(t, o, want.Start[0].Body)
	until(t, "the control channel", func() bool { return len(o.asked("<id8-2>-control")) > 0 })
	livevideo.Do(t, "POST", g.url+"stream1/update", "application/json", `{"prompt": "a dog"}`)
	for _, channel := range []string{"<id8-2>", "<id8-2>-control", "<id8-2>-events", "<id8-2>-out"} {
		begin := ofChannel(want.begin, channel)
		until(t, "the requests of "+channel, func() bool {
			if strings.HasSuffix(channel, "-events") && o.Hub.Channel("m0-events").Readers() > 0 {
				_ = o.Hub.Channel("m0-events").Put([]byte(`{"type":"status"}`))
			}
			return len(o.asked(channel)) >= len(begin)
		})
		if got := o.asked(channel)[:len(begin)]; !slices.Equal(got, begin) {
			t.Errorf("%q, not %q", got, begin)
		}
	}
	until(t, "the messages", func() bool { return o.Got(`{"prompt": "a dog"}`) && o.Got(`{"keep":"alive"}`) })
	terminate(t, g, beat)
	var deleted []string
	until(t, "the end", func() bool {
		o.mu.Lock()
		defer o.mu.Unlock()
		deleted = closed(o.lines)
		return len(deleted) >= 2
	})
	if ends := closed(want.end); !slices.Equal(deleted, ends) {
		t.Errorf("%q, not %q", deleted, ends)
	}
	o.checkTypes(t)
}

// closed are the channels that requests close. A segment that was begun is dropped, which the recording has no case of.
func closed(lines []string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool {
		return !strings.HasPrefix(l, "DELETE") || strings.Count(l, "/") > 3
	})
}

// sameStart compares the request that began the stream.
func (g *gateway) sameStart(t *testing.T, o *observed, want map[string]any) {
	t.Helper()
	until(t, "the start", func() bool { return len(o.Starts()) == 1 })
	got := o.Starts()[0]
	if id, _ := got["gateway_request_id"].(string); !requestID.MatchString(id) {
		t.Errorf("the request's id %q is none of 8 hex characters", id)
	}
	got["gateway_request_id"] = want["gateway_request_id"]
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(want)
	if string(a) != string(b) {
		t.Errorf("the start %s, not %s", a, b)
	}
}

// checkTypes: what is written has the recorded type on all channels, and no number is left out.
func (o *observed) checkTypes(t *testing.T) {
	t.Helper()
	for _, channel := range []string{"<id8-2>", "<id8-2>-control"} {
		next := 0
		for _, line := range o.asked(channel) {
			if !strings.HasPrefix(line, "POST") {
				continue
			}
			if o.types[line] != "video/MP2T" {
				t.Errorf("%s: %q", line, o.types[line])
			}
			if !strings.HasSuffix(line, "/"+strconv.Itoa(next)) {
				t.Errorf("%s comes after number %d", line, next-1)
			}
			next++
		}
	}
}
