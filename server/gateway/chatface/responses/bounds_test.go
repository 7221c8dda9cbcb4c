package responses_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
)

// allocated is how many bytes do allocates. It is for tests that run alone.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// itemOf is the ID of an item of a response's input.
func itemOf(response string, number int) string {
	return fmt.Sprintf("%s%04x", strings.Replace(response, "resp_", "msg_", 1), 0x8000+number)
}

// A short request refers to a long item very often: what it comes to is bounded.
func TestReferencesAreBounded(t *testing.T) {
	f, _ := newFace()
	o := turn(t, f, "a", `"input":[{"role":"user","content":"`+strings.Repeat("x", 1<<20)+`"},
		{"role":"user","content":"hi"}]`, `{"content":"hello"}`)
	refer := func(number, times int) string {
		one := `{"type":"item_reference","id":"` + itemOf(o.ID, number) + `"},`
		return `{"model":"m","input":[` + strings.TrimSuffix(strings.Repeat(one, times), ",") + `]}`
	}
	mustAsk(t, f, "a", refer(0, 2))
	if _, err := ask(f, "a", refer(0, 64)); fault.CodeOf(err) != fault.RequestTooLarge ||
		!strings.HasPrefix(fieldOf(t, err), "input[") {
		t.Errorf("64 MiB by reference: %v", err)
	}
	_, err := ask(f, "a", `{"model":"m","previous_response_id":"`+o.ID+`",`+refer(0, 15)[len(`{"model":"m",`):])
	if fault.CodeOf(err) != fault.RequestTooLarge {
		t.Errorf("more than the turns before leave: %v", err)
	}
	// A response is read once, however many of its items are wanted.
	text := refer(1, 200)
	if n := allocated(func() { mustAsk(t, f, "a", text) }); n > 16<<20 {
		t.Errorf("200 references to a short item took %d MiB", n>>20)
	}
}

// A conversation counts what it holds besides its chat.
func TestAConversationsMemory(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	o := turn(t, f, "a", `"input":"`+strings.Repeat("x", 1<<20)+`"`, `{"content":"hello"}`)
	c := mustAsk(t, f, "a", `{"model":"m","input":[{"id":"`+itemOf(o.ID, 0)+`"}]}`)
	if h, ok := c.(interface{ Held() int64 }); !ok || h.Held() < 1<<20 {
		t.Errorf("a conversation with an item of 1 MiB by reference holds %v", ok)
	}
}

// nowhere takes an answer and keeps nothing.
type nowhere struct {
	head http.Header
	n    int
}

func (w *nowhere) Header() http.Header         { return w.head }
func (w *nowhere) WriteHeader(int)             {}
func (w *nowhere) Write(p []byte) (int, error) { w.n += len(p); return len(p), nil }

// Pages of stored items are sent as they are kept, and copied nowhere.
func TestPagesAreNotCopied(t *testing.T) {
	f, _ := newFace()
	o := turn(t, f, "a", `"input":"`+strings.Repeat("x", 4<<20)+`"`, `{"content":"hello"}`)
	r := httptest.NewRequest(http.MethodGet, responses.Path+"/"+o.ID+"/input_items", nil)
	r.Header.Set("Authorization", "Bearer a")
	w := &nowhere{head: http.Header{}}
	n := allocated(func() { f.Stored().ServeHTTP(w, r) })
	if w.n < 4<<20 || n > 1<<20 {
		t.Errorf("a page of %d bytes took %d", w.n, n)
	}
}

// stuck is a client that reads nothing until it is released.
type stuck struct {
	nowhere
	once    sync.Once
	began   chan<- struct{}
	release <-chan struct{}
}

func (w *stuck) Write(p []byte) (int, error) {
	w.once.Do(func() { w.began <- struct{}{}; <-w.release })
	return w.nowhere.Write(p)
}

// A key's slow readers, each of whom keeps in memory what the store may have dropped, are few, and other keys have
// their own.
func TestSlowReadersOfAKeyAreFew(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	large := `"input":"` + strings.Repeat("x", 1<<20) + `"`
	began, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(release)
	get := func(ctx context.Context, key, path string, w http.ResponseWriter) {
		r := httptest.NewRequest(http.MethodGet, responses.Path+path, nil).WithContext(ctx)
		r.Header.Set("Authorization", "Bearer "+key)
		f.Stored().ServeHTTP(w, r)
	}
	first := turn(t, f, "a", large, `{"content":"x"}`)
	for range 4 {
		o := turn(t, f, "a", large, `{"content":"x"}`)
		wg.Go(func() {
			get(t.Context(), "a", "/"+o.ID+"/input_items", &stuck{nowhere{head: http.Header{}}, sync.Once{}, began, release})
		})
		<-began
		call(f, http.MethodDelete, "/"+o.ID, "a")
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	w := httptest.NewRecorder()
	get(gone, "a", "/"+first.ID+"/input_items", w)
	if w.Code == http.StatusOK || w.Body.Len() > 1<<10 {
		t.Errorf("a fifth one is served: %d", w.Code)
	}
	other := turn(t, f, "b", large, `{"content":"x"}`)
	w = httptest.NewRecorder()
	get(gone, "b", "/"+other.ID+"/input_items", w)
	var p page
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || len(p.Data) != 1 {
		t.Errorf("another key waits: %d", w.Code)
	}
	if w := call(f, http.MethodGet, "/"+first.ID, "a"); w.Code != http.StatusOK {
		t.Errorf("a short response waits: %d", w.Code)
	}
}

// What a streamed answer brings together, which is repeated at its end, is counted.
func TestAStreamsTextIsHeld(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	s := mustAsk(t, f, "a", streamRequest).Stream()
	for range 64 {
		event := `{"choices":[{"delta":{"content":"` + strings.Repeat("x", 16<<10) + `"}}]}`
		if _, err := s.Event(nil, []byte(event)); err != nil {
			t.Fatal(err)
		}
	}
	if h, ok := s.(interface{ Held() int64 }); !ok || h.Held() < 5<<20 {
		t.Error("a stream with 1 MiB of text counts less than it sends at its end")
	}
}
