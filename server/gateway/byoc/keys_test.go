package byoc_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
)

// keys are of two clients; the second one's has limits.
func keys() *apikeys.Guard {
	return apikeys.New(apikeys.Options{Now: time.Now, Static: []apikeys.Key{
		{ID: "k-1", Name: "one", Hash: apikeys.HashOf("tk-one")},
		{ID: "k-2", Name: "two", Hash: apikeys.HashOf("tk-two"), Limits: apikeys.Limits{Models: []string{"demo-*"},
			Budget: apikeys.Budget{Tokens: 100}}},
		{ID: "k-3", Name: "three", Hash: apikeys.HashOf("tk-three"), Limits: apikeys.Limits{Models: []string{"other"}}},
	}})
}

// Jobs need a key that allows the capability and the time; a stream is for the key that began it.
func TestKeys(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, func(x *setup) { x.Keys = keys() }, o)
	post := func(token string, seconds int) (*http.Response, string) {
		return g.do(t, "POST", "/process/request/x", job("{}", "{}", seconds), token, "")
	}
	for _, row := range []struct {
		token   string
		seconds int
		code    string
	}{
		{"", 10, "KeyMissing"}, {"tk-none", 10, "KeyUnknown"}, {"tk-three", 10, "ModelNotAllowed"},
		{"tk-two", 101, "RequestAboveLimit"},
	} {
		res, text := post(row.token, row.seconds)
		if !strings.Contains(text, row.code) || res.StatusCode < 400 {
			t.Errorf("%s: %s %s, want %s", row.token, res.Status, text, row.code)
		}
	}
	if n := len(o.saw("/")); n != 0 {
		t.Errorf("%d requests to an orchestrator", n)
	}
	for range 5 { // each is given back what it did not take
		if res, text := post("tk-two", 90); res.StatusCode != http.StatusOK {
			t.Error(res.Status, text)
		}
	}
	res, text := g.do(t, "POST", "/process/stream/start", job("{}", "{}", 10), "tk-one", `{"stream_id":"s"}`)
	if res.StatusCode != http.StatusOK {
		t.Fatal(res.Status, text)
	}
	for _, what := range []string{"GET status", "GET data", "POST update", "POST stop", "POST whip"} {
		method, path, _ := strings.Cut(what, " ")
		res, text := g.do(t, method, "/process/stream/s/"+path, "", "tk-two", "")
		refused(t, res, text, http.StatusForbidden, "StreamDenied")
		if res, text := g.do(t, method, "/process/stream/s/"+path, "", "", ""); !strings.Contains(text, "KeyMissing") {
			t.Error(what, res.Status, text)
		}
	}
	if n := len(o.saw("/ai/stream/")); n != 1 {
		t.Errorf("%d requests about the stream", n)
	}
	if res, text := g.do(t, "POST", "/process/stream/s/stop", "", "tk-one", "{}"); res.StatusCode != http.StatusOK {
		t.Error(res.Status, text)
	}
}

// Without any key the gateway serves its own machine alone.
func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	g := newGateway(t, func(x *setup) {
		x.Keys = apikeys.New(apikeys.Options{Now: time.Now})
		x.CheckLocal = func(r *http.Request) error {
			if r.Header.Get("Authorization") != "" {
				return nil
			}
			return fault.New(fault.KeysNotConfigured, "x", "from elsewhere")
		}
	}, o)
	if res, text := g.do(t, "POST", "/process/request/x", job("{}", "{}", 1), "own", ""); res.StatusCode != http.StatusOK {
		t.Error(res.Status, text)
	}
	for _, what := range []string{"POST /process/request/x", "POST /process/stream/start",
		"GET /process/stream/s/status"} {
		method, path, _ := strings.Cut(what, " ")
		if res, text := g.do(t, method, path, job("{}", "{}", 1), "", ""); !strings.Contains(text, "KeysNotConfigured") {
			t.Error(what, res.Status, text)
		}
	}
}

// A stream ends with the key of its client, at the orchestrator too, and what it took is counted. That of another key
// goes on.
func TestAStreamEndsWithItsKey(t *testing.T) {
	t.Parallel()
	o := newOrchestrator(t)
	o.capacity = 2
	ring := keys()
	g := newGateway(t, func(x *setup) { x.Keys, x.Limits.KeyCheck = ring, time.Millisecond }, o)
	for id, token := range map[string]string{"one": "tk-one", "two": "tk-two"} {
		res, text := g.do(t, "POST", "/process/stream/start", job("{}", "{}", 10), token, `{"stream_id":"`+id+`"}`)
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.Status, text)
		}
	}
	ring.SetStatic([]apikeys.Key{
		{ID: "k-1", Name: "one", Hash: apikeys.HashOf("tk-one"), Revoked: time.Now()},
		{ID: "k-2", Name: "two", Hash: apikeys.HashOf("tk-two")},
	})
	until(t, "the end of the stream", func() bool { return len(o.saw("/ai/stream/stop")) == 1 })
	if got := o.saw("/ai/stream/stop")[0].job.Request; !strings.Contains(got, `"one"`) {
		t.Error("the stream that ended is", got)
	}
	if res, text := g.do(t, "GET", "/process/stream/two/status", "", "tk-two", ""); res.StatusCode != http.StatusOK ||
		strings.Contains(text, "error") {
		t.Error(res.Status, text)
	}
	until(t, "the settlement of the key", func() bool { state, _ := ring.State("tk-one"); return state.InFlight == 0 })
}
