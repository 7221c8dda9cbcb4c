package batch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/gateway/batch"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a gateway with batches, whose requests a test answers.
type world struct {
	t      *testing.T
	dir    string
	limits batch.Limits
	clock  *coretest.Clock
	guard  *apikeys.Guard
	server *batch.Server
	url    string
	end    func()

	mu sync.Mutex // guards what follows
	// ran counts the requests by the text of their only message.
	ran map[string]int
	// answer answers a request; nil says what was said.
	answer func(w http.ResponseWriter, r *http.Request, said string)
}

func newWorld(t *testing.T, l batch.Limits) *world {
	t.Helper()
	return newWorldIn(t, t.TempDir(), l)
}

// newWorldIn is newWorld with a directory for its files.
func newWorldIn(t *testing.T, dir string, l batch.Limits) *world {
	t.Helper()
	w := &world{t: t, dir: dir, limits: l, clock: new(coretest.Clock), ran: make(map[string]int)}
	w.limits.Tick, w.limits.FirstWait = time.Millisecond, time.Millisecond
	w.guard = apikeys.New(apikeys.Options{Now: w.clock.Now, Static: []apikeys.Key{
		{ID: "a", Name: "a", Hash: apikeys.HashOf("key-a")}, {ID: "b", Name: "b", Hash: apikeys.HashOf("key-b")}}})
	w.start()
	t.Cleanup(func() { w.end() })
	return w
}

// random is a source for several goroutines.
type random struct {
	mu   sync.Mutex
	from *rand.ChaCha8
}

func (r *random) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.from.Read(b)
}

// start runs a server on the directory.
func (w *world) start() {
	w.t.Helper()
	s, err := batch.New(batch.Options{Dir: w.dir, Keys: w.guard, Limits: w.limits, Now: w.clock.Now,
		Rand: &random{from: rand.NewChaCha8([32]byte([]byte(fmt.Sprintf("%032d", len(w.ran)+1))))}})
	if err != nil {
		w.t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/chat/completions", w.chat)
	s.Register(mux)
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- s.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-ended:
		w.t.Fatal(err)
	}
	web := httptest.NewServer(mux)
	w.server, w.url = s, web.URL
	var once sync.Once
	w.end = func() {
		once.Do(func() {
			cancel()
			if err := <-ended; err != nil {
				w.t.Error(err)
			}
			web.Close()
			_ = s.Finish(ctx)
		})
	}
}

func (w *world) chat(rw http.ResponseWriter, r *http.Request) {
	var in struct{ Messages []struct{ Content string } }
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.Messages) == 0 {
		http.Error(rw, `{"error":{"message":"no chat"}}`, http.StatusBadRequest)
		return
	}
	said := in.Messages[0].Content
	g, err := w.guard.Admit(r.Context(), apikeys.BearerToken(r.Header.Get("Authorization")), apikeys.Need{Model: "m"})
	if err != nil {
		http.Error(rw, `{"error":{"message":"no key"}}`, http.StatusUnauthorized)
		return
	}
	w.mu.Lock()
	w.ran[g.Key()+" "+said]++
	answer := w.answer
	w.mu.Unlock()
	if answer != nil {
		answer(rw, r, said)
		return
	}
	fmt.Fprintf(rw, "{\"said\":\n %q}\n", said)
}

// runs returns how often a request of a key ran.
func (w *world) runs(what string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ran[what]
}

// reply is what the API answers.
type reply struct {
	status int
	text   string
	fields map[string]any
}

func (r *reply) get(name string) string {
	var at any = r.fields
	for _, part := range strings.Split(name, ".") {
		m, _ := at.(map[string]any)
		at = m[part]
	}
	if at == nil {
		return ""
	}
	return fmt.Sprint(at)
}

// call asks the API with a key.
func (w *world) call(key, method, path, contentType, body string) *reply {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer key-"+key)
	}
	req.Header.Set("Content-Type", contentType)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	out := &reply{status: res.StatusCode, text: string(b)}
	_ = json.Unmarshal(b, &out.fields) // contents of files are no object
	return out
}

// form is an upload with fields, and a file unless its content is nil.
func form(fields map[string]string, content []byte) (contentType, body string) {
	var out bytes.Buffer
	m := multipart.NewWriter(&out)
	for name, value := range fields {
		_ = m.WriteField(name, value)
	}
	if content != nil {
		f, _ := m.CreateFormFile("file", "in.jsonl")
		_, _ = f.Write(content)
	}
	_ = m.Close()
	return m.FormDataContentType(), out.String()
}

// upload stores a file and returns its ID.
func (w *world) upload(key, content string) string {
	w.t.Helper()
	contentType, body := form(map[string]string{"purpose": "batch"}, []byte(content))
	r := w.call(key, http.MethodPost, "/v1/files", contentType, body)
	if r.status != http.StatusOK || r.get("id") == "" {
		w.t.Fatalf("the upload says %d %s", r.status, r.text)
	}
	return r.get("id")
}

// create makes a batch for chats and returns its ID.
func (w *world) create(key, file string) string {
	w.t.Helper()
	r := w.call(key, http.MethodPost, "/v1/batches", "application/json",
		`{"input_file_id":"`+file+`","endpoint":"/v1/chat/completions","completion_window":"24h"}`)
	if r.status != http.StatusOK || r.get("status") != "validating" {
		w.t.Fatalf("the batch says %d %s", r.status, r.text)
	}
	return r.get("id")
}

// await waits for a batch to be in a state.
func (w *world) await(key, id, state string) *reply {
	w.t.Helper()
	var r *reply
	w.until("the batch to be "+state, func() bool {
		r = w.call(key, http.MethodGet, "/v1/batches/"+id, "", "")
		return r.get("status") == state
	}, func() string { return r.text })
	return r
}

func (w *world) until(what string, ok func() bool, now func() string) {
	w.t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			w.t.Fatalf("waited for %s: %s", what, now())
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-w.t.Context().Done():
			w.t.Fatal("the test ended")
		}
	}
}

// lines are requests that say texts.
func lines(texts ...string) string {
	var out strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&out, `{"custom_id":"id %s","method":"POST","url":"/v1/chat/completions",`+
			`"body":{"model":"m","messages":[{"role":"user","content":%q}]}}`+"\n", text, text)
	}
	return out.String()
}

// answers returns the results in a file by custom ID, and how often each is there.
func (w *world) answers(key, file string) (map[string]string, map[string]int) {
	w.t.Helper()
	out, times := make(map[string]string), make(map[string]int)
	if file == "" {
		return out, times
	}
	r := w.call(key, http.MethodGet, "/v1/files/"+file+"/content", "", "")
	if r.status != http.StatusOK || !strings.HasSuffix(r.text, "\n") {
		w.t.Fatalf("the file says %d %q", r.status, r.text)
	}
	for _, text := range strings.Split(strings.TrimSpace(r.text), "\n") {
		var in struct {
			ID       string
			CustomID string `json:"custom_id"`
			Response *struct {
				Status int             `json:"status_code"`
				ID     string          `json:"request_id"`
				Body   json.RawMessage `json:"body"`
			}
			Error *struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(text), &in); err != nil || !strings.HasPrefix(in.ID, "batch_req_") {
			w.t.Fatalf("the line %q: %v", text, err)
		}
		says := "nothing"
		if in.Response != nil {
			says = fmt.Sprint(in.Response.Status, " ", string(in.Response.Body))
		}
		if in.Error != nil {
			says = in.Error.Code
		}
		out[in.CustomID], times[in.CustomID] = says, times[in.CustomID]+1
	}
	return out, times
}
