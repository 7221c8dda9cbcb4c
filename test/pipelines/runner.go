package pipelines

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Version is what the runner says of itself.
const Version = "0.14.1"

// maxBody bounds a request, as the network's runner does for audio.
const maxBody = 50 << 20

// Runner is one server for every pipeline.
type Runner struct {
	url string

	mu sync.Mutex
	// does are the handlers that tests have set, seen the requests, and made the
	// media of the last answer, each by pipeline.
	does map[string]http.HandlerFunc
	seen map[string][]Request
	made map[string][][]byte
}

// Start starts a runner that ends with the test.
func Start(t testing.TB) *Runner {
	t.Helper()
	r := &Runner{does: make(map[string]http.HandlerFunc), seen: make(map[string][]Request),
		made: make(map[string][][]byte)}
	mux := http.NewServeMux()
	for _, p := range pipeline.Table() {
		base := "/" + p.Name + "/runner"
		named := func(w http.ResponseWriter, key string, value any) {
			send(w, map[string]any{"pipeline": p.Name, "model_id": Model(p.Name), key: value})
		}
		mux.HandleFunc("GET "+base+"/health",
			func(w http.ResponseWriter, _ *http.Request) { send(w, map[string]any{"status": "OK"}) })
		mux.HandleFunc("GET "+base+"/version", func(w http.ResponseWriter, _ *http.Request) { named(w, "version", Version) })
		mux.HandleFunc("GET "+base+"/hardware/info",
			func(w http.ResponseWriter, _ *http.Request) { named(w, "gpu_info", map[string]any{}) })
		mux.HandleFunc("POST "+base+p.Path, func(w http.ResponseWriter, q *http.Request) { r.job(p, w, q) })
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

// Model is the model that a pipeline's runner holds.
func Model(name string) string { return "test/" + name }

// URL is the runner's base address for a pipeline.
func (r *Runner) URL(name string) string { return r.url + "/" + name + "/runner" }

// Does has a pipeline's jobs done by a handler; nil by the runner itself again.
func (r *Runner) Does(name string, h http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.does[name] = h
}

// Last is the last request of a pipeline; false before there was one.
func (r *Runner) Last(name string) (Request, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.seen[name]
	if len(all) == 0 {
		return Request{}, false
	}
	return all[len(all)-1], true
}

// Count is how many requests of a pipeline came.
func (r *Runner) Count(name string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen[name])
}

// Made are the images or the sound of a pipeline's last answer.
func (r *Runner) Made(name string) [][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.made[name]
}

// job takes one request.
func (r *Runner) job(p pipeline.Pipeline, w http.ResponseWriter, q *http.Request) {
	q.Body = http.MaxBytesReader(w, q.Body, maxBody)
	in, err := read(p, q)
	if err != nil {
		Refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	r.mu.Lock()
	r.seen[p.Name] = append(r.seen[p.Name], in)
	does := r.does[p.Name]
	r.mu.Unlock()
	switch model := in.Fields[modelField(p)]; {
	case does != nil:
		does(w, q)
	case model != "" && model != Model(p.Name):
		Refuse(w, http.StatusBadRequest, "pipeline configured with "+Model(p.Name)+" but called with "+model)
	case p.Capability == capability.LLM:
		answerLLM(w, in.Body)
	default:
		r.answer(p, in, w)
	}
}

func modelField(p pipeline.Pipeline) string {
	if p.Capability == capability.LLM {
		return "model"
	}
	return "model_id"
}

// Refuse answers an error in the contract's form.
func Refuse(w http.ResponseWriter, status int, text string) {
	sendStatus(w, status, map[string]any{"detail": map[string]any{"msg": text}})
}

// refuseField answers that a field is not as the schema has it.
func refuseField(w http.ResponseWriter, field, text string) {
	sendStatus(w, http.StatusUnprocessableEntity, map[string]any{"detail": []any{
		map[string]any{"loc": []any{"body", field}, "msg": text, "type": "value_error"},
	}})
}

func send(w http.ResponseWriter, v any) { sendStatus(w, http.StatusOK, v) }

func sendStatus(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a client that left needs no answer
}
