package aiapi_test

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// warehouse is an orchestrator whose every result has as many bytes, of which it
// does not say how many they are.
func warehouse(t *testing.T, size int) (host *httptest.Server, asked *atomic.Int32) {
	t.Helper()
	asked = new(atomic.Int32)
	whole := pictureOf(t, size)
	host = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		for piece := range slices.Chunk(whole, 1<<10) {
			if _, err := w.Write(piece); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(host.Close)
	return host, asked
}

// images is an answer that names one result again and again.
func images(url string, n int) string {
	return `{"images":[` + strings.TrimSuffix(strings.Repeat(`{"url":"`+url+`"},`, n), ",") + `]}`
}

const imageBody = `{"prompt":"a cat"}`

// A job's results take memory from the budget of all requests while they come, and
// give it back.
func TestResultsTakeFromTheBudget(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.Limits.Bytes = 1 << 20 }).serve()
	o, asked := warehouse(t, 600<<10)
	n.broker.answer = from(o.URL, images(o.URL+"/1.png", 64))
	if g := n.post("/text-to-image", imageBody); g.status != http.StatusServiceUnavailable ||
		!strings.Contains(g.body, "RequestsFull") {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	if got := asked.Load(); got > 2 {
		t.Errorf("%d results were fetched into memory for one", got)
	}
	n.broker.answer = says(images(dataURL(pictureOf(t, 600<<10)), 1))
	if g := n.post("/text-to-image", imageBody); g.status != http.StatusServiceUnavailable ||
		!strings.Contains(g.body, "RequestsFull") {
		t.Errorf("in the answer: status %d, %.200s", g.status, g.body)
	}
	n.broker.answer = says(images(dataURL(pictureOf(t, 300<<10)), 1))
	for range 3 { // nothing is kept of what was refused, nor of what was answered
		if g := n.post("/text-to-image", imageBody); g.status != http.StatusOK {
			t.Errorf("status %d, %s", g.status, g.body)
		}
	}
	if g := n.post("/v1/images/generations",
		`{"prompt":"a cat","response_format":"b64_json"}`); g.status != http.StatusServiceUnavailable {
		t.Errorf("as base64 again: status %d, %.200s", g.status, g.body)
	}
}

// One job makes no more than all results may hold, and nothing is fetched past it.
func TestResultsEndAtTheirLimit(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"large": 400 << 10, "within a first buffer": 100 << 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, func(o *aiapi.Options) { o.Limits.Results = int64(size * 3 / 2) }).serve()
			o, asked := warehouse(t, size)
			n.broker.answer = from(o.URL, images("/1.png", 64))
			if g := n.post("/text-to-image", imageBody); g.status != http.StatusServiceUnavailable ||
				!strings.Contains(g.body, "RequestsFull") {
				t.Errorf("status %d, %s", g.status, g.body)
			}
			if got := asked.Load(); got != 2 {
				t.Errorf("%d results were asked for, want 2", got)
			}
			n.broker.answer = from(o.URL, images("/1.png", 1))
			if g := n.post("/text-to-image", imageBody); g.status != http.StatusOK {
				t.Errorf("one: status %d, %s", g.status, g.body)
			}
		})
	}
}

// What an answer says besides its results is passed on, and not taken apart.
func TestAnswersAreNotTakenApart(t *testing.T) {
	rest := `, "seed" : 12345678901234567890 , "z":[` + strings.Repeat(`{},`, 4<<20) + `{}]}`
	n := start(t, nil)
	n.broker.answer = says(`{"images":[{"url":"` + strings.ReplaceAll(dataURL(picture(t)), "/", `\/`) + `"}]` + rest)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	w := &discarding{header: make(http.Header)}
	n.handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://127.0.0.1/text-to-image",
		strings.NewReader(imageBody)))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 6*uint64(len(rest)) {
		t.Errorf("%d bytes for an answer of %d", took, len(rest))
	}
	if w.status != http.StatusOK || !bytes.HasSuffix(w.last, []byte(rest+"\n")) || !resultURL.Match(w.last) {
		t.Errorf("status %d, %.200s", w.status, w.last)
	}
}

// discarding is a client that remembers the last piece of its answer.
type discarding struct {
	header http.Header
	status int
	last   []byte
}

func (d *discarding) Header() http.Header  { return d.header }
func (d *discarding) WriteHeader(code int) { d.status = code }
func (d *discarding) Write(b []byte) (int, error) {
	d.last = b
	return len(b), nil
}

func TestAnswersThatCannotBeRead(t *testing.T) {
	t.Parallel()
	n := start(t, nil).serve()
	url := `{"url":"data:image/png;base64,` + base64.StdEncoding.EncodeToString(picture(t)) + `"}`
	for _, body := range []string{
		`{"images":[` + url + `],"images":[` + url + `]}`, `{"images":[` + url + `],"im\u0061ges":[` + url + `]}`,
		`{"frames":[[[` + url + `]]]}`, `{"audio":{"url":"data:,","url":"data:,"}}`,
		`{"images":[` + url + `]} x`, "{\"images\":[" + url + "],\"x\":\"\xff\"}",
	} {
		n.broker.answer = says(body)
		if g := n.post("/text-to-image", imageBody); g.status != http.StatusBadGateway ||
			!strings.Contains(g.body, "AnswerUnreadable") {
			t.Errorf("%.80s: status %d, %s", body, g.status, g.body)
		}
	}
	n.broker.answer = says(`{"frames":[[` + url + `,{"x":1}],[],["x",` + url + `]]}`)
	if g := n.post("/text-to-image", imageBody); len(resultURL.FindAllString(g.body, -1)) != 2 {
		t.Errorf("status %d, %s", g.status, g.body)
	}
	n.broker.answer = says(images("https://o:8935/"+strings.Repeat("x", 10<<10), 1))
	if g := n.post("/text-to-image", imageBody); g.status != http.StatusBadGateway ||
		!strings.Contains(g.body, "ResultFetchFailed") {
		t.Errorf("a long address: status %d, %s", g.status, g.body)
	}
}

func TestTranscriptsAreBounded(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) { o.Media = seconds(3); o.Limits.Bytes = 64 << 20 }).serve()
	contentType, body := upload(t, "@file", sound, "response_format", "srt")
	ask := func(answer string) got {
		n.broker.answer = says(answer)
		return n.post("/v1/audio/transcriptions", body, "Content-Type", contentType)
	}
	for name, row := range map[string]struct {
		answer string
		status int
		code   string
	}{
		"too many parts": {`{"text":"x","chunks":[` + strings.Repeat(`{},`, 1<<18) + `{}]}`, http.StatusBadGateway,
			"AnswerUnreadable"},
		"too long":        {`{"text":"` + strings.Repeat("x", 17<<20) + `"}`, http.StatusBadGateway, "AnswerUnreadable"},
		"no list":         {`{"text":"x","chunks":{}}`, http.StatusBadGateway, "AnswerUnreadable"},
		"no text":         {`{"text":1}`, http.StatusBadGateway, "AnswerUnreadable"},
		"over the budget": {`{"text":"` + strings.Repeat("x", 6<<20) + `"}`, http.StatusServiceUnavailable, "RequestsFull"},
		"parts over budget": {`{"text":"x","chunks":[` + strings.Repeat(`{},`, 1<<17) + `{}]}`,
			http.StatusServiceUnavailable, "RequestsFull"},
	} {
		if g := ask(row.answer); g.status != row.status || !strings.Contains(g.body, row.code) {
			t.Errorf("%s: status %d, %.200s", name, g.status, g.body)
		}
	}
	// Larger factors belong to no answer.
	ask(`{"text":"x","chunks":[{"timestamp":[1,2,3,4],"text":"x"}]}`).want(t, http.StatusOK,
		"1\n00:00:01,000 --> 00:00:02,000\nx\n\n")
	ask(`{"text":"x","chunks":null}`).want(t, http.StatusOK, "")
}
