package chatface_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/gateway/chatface/messages"
)

const (
	limit    = 1 << 20
	question = `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}`
	streamed = `{"model":"m","max_tokens":5,"stream":true,"messages":[{"role":"user","content":"hi"}]}`
	whole    = `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"message":{"role":"assistant","content":"ho"},` +
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
)

func chunk(text string) string {
	return fmt.Sprintf(`data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":%q}}]}`+"\n\n", text)
}

const (
	finishChunk = `data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	doneEvent   = "data: [DONE]\n\n"
)

// serve serves the Messages API before next.
func serve(t *testing.T, next http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(chatface.Handler(next, messages.Face{NewID: func() string { return "new" }}, limit))
	t.Cleanup(s.Close)
	return s.URL
}

// post asks; headers are pairs.
func post(t *testing.T, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(out)
}

// apiError is an error of the API.
type apiError struct {
	Type  string `json:"type"`
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

func readError(t *testing.T, body string) apiError {
	t.Helper()
	var e apiError
	if err := json.Unmarshal([]byte(body), &e); err != nil || e.Type != "error" || e.Error.Message == "" {
		t.Fatalf("%v: %s is no error of the API", err, body)
	}
	return e
}

func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !strings.Contains(string(body), `"role":"user","content":"hi"`) {
			t.Errorf("next gets %v %s", err, body)
		}
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer tk-1" ||
			r.Header.Get("X-Api-Key") != "" || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("next gets %s %v", r.URL.Path, r.Header)
		}
		h := w.Header()
		h.Set("X-Request-Id", "id-1")
		h.Set("X-Ratelimit-Remaining", "7")
		h.Set("Content-Length", fmt.Sprint(len(whole)))
		h.Set("Content-Type", "application/json")
		for _, piece := range []string{whole[:20], whole[20:]} {
			if n, err := io.WriteString(w, piece); n != len(piece) || err != nil {
				t.Errorf("written %d, %v", n, err)
			}
		}
	})
	res, body := post(t, url, question, "X-Api-Key", "tk-1")
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "application/json" ||
		res.ContentLength != int64(len(body)) || res.Header.Get("X-Ratelimit-Remaining") != "7" ||
		res.Header.Get("Request-Id") != "id-1" || !strings.Contains(body, `"content":[{"type":"text","text":"ho"}]`) {
		t.Errorf("%s %v %s", res.Status, res.Header, body)
	}
}

// The key of Authorization counts where a client sends two.
func TestBothKeys(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer one" {
			t.Errorf("next gets %q", got)
		}
		_, _ = io.WriteString(w, whole)
	})
	post(t, url, question, "X-Api-Key", "two", "Authorization", "Bearer one")
}

// untouched is a body that may not be read.
type untouched struct{ t *testing.T }

func (u untouched) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

func TestBodyIsReadAfterTheKey(t *testing.T) {
	t.Parallel()
	h := chatface.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "9")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"no key","code":"invalid_api_key"}}`)
	}), messages.Face{}, limit)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/messages", untouched{t}))
	e := readError(t, w.Body.String())
	if w.Code != http.StatusUnauthorized || e.Error.Type != "authentication_error" || e.Error.Message != "no key" ||
		w.Header().Get("Retry-After") != "9" {
		t.Errorf("%d %v %+v", w.Code, w.Header(), e)
	}
}

// The memory of the client's body is counted by the one who reads the gateway's own.
func TestBodyIsMetered(t *testing.T) {
	t.Parallel()
	full := fault.New(fault.RequestsFull, "test", "")
	for name, row := range map[string]struct {
		body  string
		allow int64
		want  fault.Code
	}{
		"counted":      {question, 1 << 20, ""},
		"over budget":  {question, 10, fault.RequestsFull},
		"over limit":   {strings.Repeat(" ", limit+1), 8 << 20, fault.RequestTooLarge},
		"unreadable":   {`{"model":"m","max_tokens":5,"messages":[{"role":"me"}]}`, 1 << 20, fault.RequestUnreadable},
		"no JSON":      {`{"model`, 1 << 20, fault.RequestUnreadable},
		"refused name": {`{"model":"m","max_tokens":5,"container":"x"}`, 1 << 20, fault.RequestUnreadable},
	} {
		var counted int64
		h := chatface.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			r.Body.(interface {
				Meter(grow func(int64) error)
			}).Meter(func(n int64) error {
				if counted += n; counted > row.allow {
					return full
				}
				return nil
			})
			_, err := io.ReadAll(r.Body)
			if got := fault.CodeOf(err); err == nil && row.want != "" || err != nil && got != row.want {
				t.Errorf("%s: %v, want %q", name, err, row.want)
			}
		}), messages.Face{}, limit)
		r := httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(row.body))
		if len(row.body) > limit {
			r.ContentLength = -1
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
		if want := int64(3 * len(question)); row.want == "" && counted < want {
			t.Errorf("%s: %d bytes are counted, want %d", name, counted, want)
		}
	}
}

// A body whose connection breaks off is not the chat's end.
func TestBodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	h := chatface.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); !errors.Is(err, broken) {
			t.Errorf("next gets %v", err)
		}
	}), messages.Face{}, limit)
	body := io.MultiReader(strings.NewReader(question), &failing{broken})
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/messages", body))
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

func TestCompressedBodyIsRefused(t *testing.T) {
	t.Parallel()
	url := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("next is called") })
	res, body := post(t, url, question, "Content-Encoding", "gzip")
	if e := readError(t, body); res.StatusCode != http.StatusUnsupportedMediaType ||
		e.Error.Type != "invalid_request_error" || !strings.Contains(e.Error.Message, "Content-Encoding") {
		t.Errorf("%s %s", res.Status, body)
	}
}

// Answers that cannot be mapped are errors of the API, never half of an answer.
func TestUnusableAnswers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body string
		next func(w http.ResponseWriter)
		want int
	}{
		"compressed": {question, func(w http.ResponseWriter) {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte{0x1f, 0x8b, 8})
		}, http.StatusBadGateway},
		"cut off": {question, func(w http.ResponseWriter) { _, _ = io.WriteString(w, whole[:30]) },
			http.StatusBadGateway},
		"no choice": {question, func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{}`) }, http.StatusBadGateway},
		"no stream": {streamed, func(w http.ResponseWriter) { _, _ = io.WriteString(w, whole) },
			http.StatusBadGateway},
		"an error in text": {question, func(w http.ResponseWriter) { http.Error(w, "gone", http.StatusNotFound) },
			http.StatusNotFound},
	} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			row.next(w)
		})
		res, body := post(t, url, row.body)
		readError(t, body)
		if res.StatusCode != row.want || res.Header.Get("Content-Encoding") != "" || res.ContentLength != int64(len(body)) {
			t.Errorf("%s: %s %v %s", name, res.Status, res.Header, body)
		}
	}
}

// stream answers with pieces.
func stream(pieces ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Content-Length", "10") // of what is mapped
		w.WriteHeader(http.StatusOK)
		for _, p := range pieces {
			if _, err := io.WriteString(w, p); err != nil {
				return
			}
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// types returns the types of a stream's events.
func types(t *testing.T, body string) (out []string) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		name, data, ok := strings.Cut(block, "\n")
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(strings.TrimPrefix(data, "data: ")), &e); !ok || err != nil ||
			name != "event: "+e.Type {
			t.Fatalf("%v: %q is no event of the API", err, block)
		}
		if e.Type != "ping" {
			out = append(out, e.Type)
		}
	}
	return out
}

// Signs of life make a client's answer no longer than they are few: of those that come at once, it gets one.
func TestSignsOfLifeAreFew(t *testing.T) {
	t.Parallel()
	answer := stream(chunk("one")+strings.Repeat(":\n", 10_000), ":\n\n", finishChunk+doneEvent)
	_, got := post(t, serve(t, answer), streamed)
	if n := strings.Count(got, "event: ping\n"); n == 0 || n > 3 {
		t.Errorf("%d pings", n)
	}
}

// However a stream is cut, and whichever line ends it has, the client gets the same.
func TestStreamInPieces(t *testing.T) {
	t.Parallel()
	all := ": waiting\n\nevent: x\n" + chunk("one") + chunk(" two") + finishChunk + doneEvent + chunk("after the end")
	_, want := post(t, serve(t, stream(all)), streamed)
	const events = "message_start content_block_start content_block_delta content_block_delta content_block_stop " +
		"message_delta message_stop"
	if got := strings.Join(types(t, want), " "); got != events || !strings.HasPrefix(want, "event: ping\n") {
		t.Fatalf("%s\n%s", got, want)
	}
	var bytewise []string
	for _, b := range []byte(all) {
		bytewise = append(bytewise, string(b))
	}
	for name, pieces := range map[string][]string{
		"bytes":      bytewise,
		"halves":     {all[:len(all)/2], all[len(all)/2:]},
		"returns":    {strings.ReplaceAll(all, "\n", "\r")},
		"both":       strings.SplitAfter(strings.ReplaceAll(all, "\n", "\r\n"), "\r"),
		"lines":      {strings.Replace(all, `"delta":`, "\ndata: \"delta\":", 1)},
		"more lines": {strings.ReplaceAll(strings.Replace(all, `"delta":`, "\ndata: \"delta\":", 1), "\n", "\r\n")},
	} {
		if _, got := post(t, serve(t, stream(pieces...)), streamed); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// What goes wrong in a stream ends it with an error and nothing after it.
func TestStreamThatFails(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		piece, kind, text string
	}{
		"an error": {`data: {"error":{"message":"gone","status":503}}` + "\n\n", "overloaded_error", "gone"},
		"a text":   {`data: {"error":"gone"}` + "\n\n", "api_error", "gone"},
		"cut off":  {"", "api_error", "the stream ended before the answer was finished"},
		"no JSON":  {"data: {\"choices\n\n", "api_error", "An orchestrator's answer"},
		"too long": {"data: " + strings.Repeat(" ", 5<<20), "api_error", "an event of the stream is too long"},
		"no end":   {"data:[DO\ndata:NE]\n\n", "api_error", "An orchestrator's answer"},
		"a number": {`data: {"choices":[{"delta":{"content":5}}]}` + "\n\n", "api_error", "An orchestrator's answer"},
	} {
		pieces := []string{chunk("one")}
		if row.piece != "" {
			pieces = append(pieces, row.piece, chunk("two"))
		}
		res, body := post(t, serve(t, stream(pieces...)), streamed)
		got := types(t, body)
		last := body[strings.LastIndex(strings.TrimSuffix(body, "\n\n"), "data: ")+len("data: "):]
		if e := readError(t, last); res.StatusCode != http.StatusOK || got[len(got)-1] != "error" ||
			e.Error.Type != row.kind || !strings.Contains(e.Error.Message, row.text) || strings.Contains(body, "two") {
			t.Errorf("%s: %s\n%s", name, res.Status, body)
		}
	}
}

// Each piece reaches the client before the next one is written.
func TestStreamIsNotHeldBack(t *testing.T) {
	t.Parallel()
	more := make(chan string)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for text := range more {
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
	})
	go func() { more <- chunk("one") }()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(streamed))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for _, text := range []string{"one", "two"} {
		for lines.Scan() && !strings.Contains(lines.Text(), `"text":"`+text+`"`) {
			continue
		}
		if lines.Err() != nil || !strings.Contains(lines.Text(), text) {
			t.Fatalf("%s does not come: %v", text, lines.Err())
		}
		if text == "one" {
			more <- chunk("two")
		}
	}
	close(more)
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Error(err)
	}
}

// The deadlines that next sets are those of the client's connection.
func TestDeadlinesPass(t *testing.T) {
	t.Parallel()
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		control := http.NewResponseController(w)
		if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
			t.Error(err)
		}
		http.Error(w, "", http.StatusNotFound)
	})
	post(t, url, question)
}

// A client that leaves ends the gateway's own request.
func TestClientThatLeaves(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		stream(chunk("one"))(w, r)
		<-r.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(streamed))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := res.Body.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("the gateway's own request goes on")
	}
}

// A large answer is mapped in whole and sent in pieces.
func TestLargeAnswer(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 200_000)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		large := strings.Replace(whole, `"ho"`, `"`+text+`"`, 1)
		_, _ = io.Copy(struct{ io.Writer }{w}, bytes.NewBufferString(large))
	})
	res, body := post(t, url, question)
	if res.ContentLength != int64(len(body)) || !strings.Contains(body, text) {
		t.Errorf("%s, %d bytes of %d", res.Status, len(body), res.ContentLength)
	}
}
