package backend_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// A server that was started again with another model's name says 404 to the old one: the
// job is sent under the name that it has now. Where nothing changed it is not asked for its
// details with each such job.
func TestAModelOfAnotherName(t *testing.T) {
	t.Parallel()
	f := newFake(t, map[string]page{"/health": {200, ""},
		"/v1/models": {200, `{"data":[{"id":"old","owned_by":"vllm"}]}`}})
	var serves atomic.Value
	serves.Store("old")
	f.job = func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		w.Header().Set("Content-Type", "application/json")
		if in.Model != serves.Load() {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"error":{"message":"The model does not exist."}}`)
			return
		}
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"hi"}}]}`)
	}
	s := newServer(t, options(f.url))
	if info, err := s.Probe(within(t)); err != nil || info.Served != "old" {
		t.Fatal(info, err)
	}
	serves.Store("new")
	f.set("/v1/models", page{200, `{"data":[{"id":"new","owned_by":"vllm"}]}`})
	reply, err := s.Run(within(t), chat(`{"messages":[]}`, false))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if answer, err := io.ReadAll(reply.Body); err != nil || !strings.Contains(string(answer), "hi") {
		t.Errorf("%s, %v", answer, err)
	}
	serves.Store("") // it has none that it lists
	lists := func() (n int) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, asked := range f.asked {
			if asked == "GET /v1/models" {
				n++
			}
		}
		return n
	}
	before := lists()
	for range 20 {
		if _, err := s.Run(within(t), chat(`{"messages":[]}`, false)); !errors.Is(err, fault.RunnerModelMissing) {
			t.Fatal(err)
		}
	}
	if n := lists() - before; n > 3 {
		t.Errorf("20 jobs had it asked %d times for its models", n)
	}
}
