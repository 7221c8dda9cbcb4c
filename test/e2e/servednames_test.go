package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/harness"
)

// namedServer is a model server whose list changes. Its answers are the name that it was asked for, and chats wait
// until as many names were asked for as together has.
type namedServer struct {
	*httptest.Server

	mu       sync.Mutex
	names    []string
	asked    map[string]bool
	together chan struct{}
}

func startNamed(t *testing.T, names ...string) *namedServer {
	t.Helper()
	s := &namedServer{names: names, asked: map[string]bool{}, together: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		list := make([]string, len(s.names))
		for i, name := range s.names {
			list[i] = fmt.Sprintf(`{"id":%q,"object":"model"}`, name)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"object":"list","data":[%s]}`, strings.Join(list, ","))
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Model string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		s.mu.Lock()
		if !s.asked[in.Model] {
			if s.asked[in.Model] = true; len(s.asked) == 2 {
				close(s.together)
			}
		}
		s.mu.Unlock()
		select {
		case <-s.together:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",`+
			`"content":%q}}],"usage":{"completion_tokens":1}}`, in.Model)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *namedServer) list(names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names = names
}

// TestTwoModelsOfOneName has one server with two models for one name of the network: two jobs at once go to one each.
func TestTwoModelsOfOneName(t *testing.T) {
	t.Parallel()
	const id = "test/twice"
	s := startNamed(t, "twice:q4", "twice:q8")
	small, large := llmEntry(id, s.URL), llmEntry(id, s.URL)
	small["served_model"], large["served_model"] = "twice:q4", "twice:q8"
	small["capacity"], large["capacity"] = 1, 1
	// A price of its own for one gateway made of the second entry a price of the first.
	large["gateway"] = "0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612"
	n := startNode(t, setup{entries: []entry{small, large}, args: []string{"-aiAllowUnverified"}})
	n.Wait("both to be ready", time.Minute, func() bool { return model(t, n.orch, id).Capacity == 2 })
	_, gw := gateway(t, n.orch)
	got := make(chan string, 2)
	for range 2 {
		go func() {
			a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(id, 3, false))
			if err != nil || a.Status != http.StatusOK {
				t.Errorf("%v, %+v", err, a)
			}
			got <- a.Body
		}()
	}
	both := <-got + <-got
	if !strings.Contains(both, `"content":"twice:q4"`) || !strings.Contains(both, `"content":"twice:q8"`) {
		t.Errorf("answers: %s", both)
	}
}

// TestServedModelUnlisted: a name that the server does not list is a condition of the model that works, and a model
// of another name is not taken for one that shares the server. Both end when the server lists the names, and the
// doctor says the same.
func TestServedModelUnlisted(t *testing.T) {
	t.Parallel()
	s := startNamed(t, "first")
	given := llmEntry("test/given", s.URL)
	given["served_model"] = "second"
	entries := []entry{given, llmEntry("test/bare", s.URL)}
	n := startNode(t, setup{entries: entries, args: []string{"-aiAllowUnverified"}})
	awaitModel(t, n.Process, n.orch, "test/given", "ready")
	for _, row := range []struct {
		code         fault.Code
		about, lacks string
	}{
		{fault.ServedModelUnlisted, "llm test/given", `"second"`}, {fault.RunnerModelMissing, "llm test/bare", `"test/bare"`},
	} {
		if c := n.condition(row.code, row.about); !strings.Contains(c.Detail, row.lacks+`; it has "first"`) {
			t.Errorf("%+v", c)
		}
	}
	home := t.TempDir()
	diagnose := func() string {
		said, _ := harness.Output(t, binary, "doctor", "-only", "ai.servers", "-orchestrator", "-aiWorker",
			"-aiAllowUnverified", "-aiModels", writeModels(t, entries), "-dataDir", home)
		return said
	}
	said := diagnose()
	for _, want := range []string{"ServedModelUnlisted", "RunnerModelMissing", "test/given as second at "} {
		if !strings.Contains(said, want) {
			t.Errorf("the doctor lacks %q:\n%s", want, said)
		}
	}
	s.list("first", "second", "test/bare")
	n.Wait("no condition", 90*time.Second, func() bool {
		for _, c := range n.conditions() {
			if c.Code == string(fault.ServedModelUnlisted) || c.Code == string(fault.RunnerModelMissing) {
				return false
			}
		}
		return true
	})
	awaitModel(t, n.Process, n.orch, "test/bare", "ready")
	if said = diagnose(); strings.Contains(said, "Unlisted") || strings.Contains(said, "Missing") {
		t.Errorf("the doctor still says:\n%s", said)
	}
	explained(t, fault.ServedModelUnlisted)
}
