package byoc_test

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	external "github.com/tuttinode/tutti/core/byoc"
)

// nowhere are the parameters of jobs that no orchestrator may do.
const nowhere = `{"orchestrators":{"include":["https://none.test"]}}`

// Streams of one client that ended, or that no orchestrator took, keep no other client from beginning one, and not the
// client itself.
func TestEndedStreamsTakeNoPlaces(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, func(x *setup) {
		x.Keys = keys()
		x.Limits.Streams = 4
	}, o)
	start := func(token, parameters, id string) (*http.Response, string) {
		return g.do(t, "POST", "/process/stream/start", job("{}", parameters, 10), token, `{"stream_id":"`+id+`"}`)
	}
	if res, text := start("tk-two", "{}", "early"); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	if res, text := g.do(t, "POST", "/process/stream/early/stop", "", "tk-two", "{}"); res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	for i := range 40 {
		res, text := start("tk-one", nowhere, fmt.Sprint("s", i))
		refused(t, res, text, http.StatusServiceUnavailable, "CapabilityNotOffered")
	}
	if res, text := g.do(t, "GET", "/process/stream/early/status", "", "tk-two", ""); res.StatusCode != http.StatusOK {
		t.Error("the status of another client's stream:", res.Status, text)
	}
	if res, text := start("tk-two", "{}", "late"); res.StatusCode != http.StatusOK {
		t.Error("another client:", res.Status, text)
	}
	if res, text := start("tk-one", "{}", "own"); res.StatusCode != http.StatusOK {
		t.Error("the client itself:", res.Status, text)
	}
}

// The parameters of streams that ended are not kept.
func TestEndedStreamsKeepLittle(t *testing.T) {
	o := newOrchestrator(t)
	g := newGateway(t, nil, o)
	heap := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	for i := range 16 {
		body := fmt.Sprintf(`{"stream_id":"s%d","params":{"a":"%s"}}`, i, strings.Repeat("a", 8<<20))
		res, text := g.do(t, "POST", "/process/stream/start", job("{}", nowhere, 10), "", body)
		refused(t, res, text, http.StatusServiceUnavailable, "CapabilityNotOffered")
	}
	var now int64
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 40 { // connections free what they read a moment later
		if now = heap() - before; now < 40<<20 {
			return
		}
		<-tick.C
	}
	t.Errorf("%d MB are held after 16 streams with 8 MB of parameters", now>>20)
}

// TestARequestNamesNoStream: the signature of a request is an orchestrator's to show to others, which stop and change
// the stream that it names.
func TestARequestNamesNoStream(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, nil, o)
	for _, request := range []string{`{"stream_id":"victim"}`, `{"a":1,"STREAM_ID":"victim","\u017ftream_id":"victim"}`,
		`{ "as": "it was" }`} {
		res, text := g.do(t, "POST", "/process/request/x", job(request, "{}", 10), "", "{}")
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, text)
		}
		seen := o.saw("/process/request/x")
		read := external.Job{Request: seen[len(seen)-1].job.Request}
		if d, err := read.Details(); err != nil || d.StreamID != "" {
			t.Errorf("orchestrators read %q of %s, %v", d.StreamID, read.Request, err)
		}
		if !strings.Contains(request, "victim") && read.Request != request {
			t.Errorf("%s became %s", request, read.Request)
		}
	}
}

// TestARequestStaysBelowItsPath: what stands before an orchestrator may read a path as one out of that of requests,
// where this gateway's signature stops or changes a stream.
func TestARequestStaysBelowItsPath(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, nil, o)
	for _, up := range []string{"%2e%2e/%2e%2e/", "x/%2e%2e/%2e%2e/%2e%2e/", "..%2f..%2f", "..%5c..%5c", "..;/..;/",
		"%2E./.%2E;x/"} {
		res, text := g.do(t, "POST", "/process/request/"+up+"ai/stream/stop", job("{}", "{}", 10), "", "{}")
		refused(t, res, text, http.StatusBadRequest, "CapabilityJobInvalid")
	}
	if seen := o.saw("/"); len(seen) > 0 {
		t.Errorf("the orchestrator got %s", seen[0].line)
	}
	res, text := g.do(t, "POST", "/process/request/a/b..c", job("{}", "{}", 10), "", "{}")
	if res.StatusCode != http.StatusOK {
		t.Error(res.Status, text)
	}
}

// A client names another client's stream in its request, in letters that orchestrators take for those of the field: the
// request names the client's own stream alone.
func TestARequestNamesItsOwnStream(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, nil, o)
	for i, field := range []string{"stream_id", "STREAM_ID", "ſtream_id", "\\u017ftream_id", "Stream_Id", "ſTREAM_ID"} {
		id := fmt.Sprint("own", i)
		res, text := g.do(t, "POST", "/process/stream/start", job(`{"`+field+`":"victim"}`, "{}", 10), "",
			`{"stream_id":"`+id+`"}`)
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, text)
		}
		seen := o.saw("/ai/stream/start")
		read := external.Job{Request: seen[len(seen)-1].job.Request}
		if d, err := read.Details(); err != nil || d.StreamID != id {
			t.Errorf("%s: orchestrators read %q of %s, %v", field, d.StreamID, read.Request, err)
		}
		if res, text := g.do(t, "POST", "/process/stream/"+id+"/stop", "", "", "{}"); res.StatusCode != http.StatusOK {
			t.Error(res.Status, text)
		}
	}
}
