package ollama

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/status"
)

// Version is the version of Ollama's API that the face follows. Clients ask for it.
const Version = "0.12.6"

// Media types.
const (
	jsonType   = "application/json; charset=utf-8"
	ndjsonType = "application/x-ndjson"
)

// face is what the addresses have in common.
type face struct {
	now func() time.Time
	// method and path are the gateway's own.
	method, path string
	request      func(f *face, began time.Time, body []byte) (chatface.Conversation, error)
}

// Route returns the gateway's own address.
func (f *face) Route(*http.Request) (method, path string) { return f.method, f.path }

// Request reads a request. Errors are RequestUnreadable.
func (f *face) Request(_ *http.Request, body []byte) (chatface.Conversation, error) {
	return f.request(f, f.now(), body)
}

// Error writes an error.
func (*face) Error(status int, openAI []byte) (mime string, body []byte) {
	var in struct {
		Error openAIError `json:"error"`
	}
	_ = json.Unmarshal(openAI, &in) // what is no object has no message
	return jsonType, in.Error.encode(status)
}

// openAIError is the gateway's own form of an error.
type openAIError struct {
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (e *openAIError) encode(status int) []byte {
	if e.Message == "" {
		e.Message = http.StatusText(status)
	}
	out, _ := chatface.Encode(apiError{e.Message}) // a string cannot fail
	return out
}

// apiError is an error as the API has it, whole and as a line of a stream.
type apiError struct {
	Error string `json:"error"`
}

// Paths of the gateway's own.
const (
	chatPath      = "/v1/chat/completions"
	embeddingPath = "/v1/embeddings"
	modelsPath    = "/v1/models"
)

// Register mounts the API's addresses. next serves the gateway's own, limit bounds a body in bytes, and now is
// the clock for the durations in answers.
func Register(mux *http.ServeMux, next http.Handler, limit int64, now func() time.Time) {
	post := func(path, own string, request func(*face, time.Time, []byte) (chatface.Conversation, error)) {
		f := &face{now: now, method: http.MethodPost, path: own, request: request}
		mux.Handle(path, chatface.Handler(next, f, limit))
	}
	post("/api/chat", chatPath, readChat)
	post("/api/generate", chatPath, readGenerate)
	post("/api/embed", embeddingPath, readEmbed)
	post("/api/embeddings", embeddingPath, readOldEmbed)
	get := func(pattern string, request func(*face, time.Time, []byte) (chatface.Conversation, error)) {
		f := &face{now: now, method: http.MethodGet, path: modelsPath, request: request}
		mux.Handle(pattern, chatface.Handler(next, f, limit))
	}
	get("GET /api/tags", list(func(*model) bool { return true }))
	get("GET /api/ps", list(func(m *model) bool { return m.Warm }))
	get("POST /api/show", readShow)
	mux.HandleFunc("GET /api/version", serveVersion)
	for _, path := range []string{"pull", "push", "create", "copy", "delete", "blobs/{digest}"} {
		mux.HandleFunc("/api/"+path, refuse)
	}
}

func serveVersion(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", jsonType)
	_, _ = w.Write([]byte(`{"version":"` + Version + `"}`)) // a client that left needs no answer
}

// refuse answers requests that would change a server's models.
func refuse(w http.ResponseWriter, r *http.Request) {
	err := fault.New(fault.RouteNotFound, "take request",
		r.URL.Path+": the models are those of the network's orchestrators; a gateway has none to change")
	_, text := fault.Public(err)
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status.HTTP(err))
	_, _ = w.Write((&openAIError{Message: text}).encode(status.HTTP(err))) // a client that left needs no answer
}

// Operation of faults.
const opMap = "map answer"

func unreadable(err error) error { return fault.Wrap(fault.AnswerUnreadable, opMap, err) }
