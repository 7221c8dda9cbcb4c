package price

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// floods writes without end, at most so many bytes, and reports whether its reader had
// enough of it before.
func floods(w http.ResponseWriter, contentType, head, piece string, most int) (cut bool) {
	says(contentType, head)(w)
	block := strings.Repeat(piece, 1+(64<<10)/len(piece))
	for sent := 0; sent < most; sent += len(block) {
		if _, err := io.WriteString(w, block); err != nil {
			return true
		}
	}
	return false
}

// TestAnswersWithoutEnd has an orchestrator answer small jobs with streams and objects that
// do not end.
func TestAnswersWithoutEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ready()
	const most = 256 << 20
	for _, row := range []struct {
		name              string
		stream            bool
		head, piece, kind string
	}{
		{"words", true, "", firstWord, events},
		{"events of nothing", true, "", "data: {}\n\n", events},
		{"comments", true, "", ": x\n\n", events},
		{"one event", true, `data: {"choices":[{"delta":{"content":"`, "x", events},
		{"white space", false, "{", " ", object},
	} {
		var cut atomic.Bool
		ended := make(chan struct{})
		w.cheat.with(func() {
			w.cheat.cheat = func(_ int, rw http.ResponseWriter) bool {
				cut.Store(floods(rw, row.kind, row.head, row.piece, most))
				close(ended)
				return true
			}
		})
		w.drain(row.stream)
		select {
		case <-ended:
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: the answer is still read", row.name)
		}
		if !cut.Load() {
			t.Errorf("%s: %d MiB were taken for an answer of a few tokens", row.name, most>>20)
		}
		w.cheat.with(func() { w.cheat.cheat = nil })
		for range 2 { // failures in a row would make it rest
			if err := w.ask(1); err != nil {
				t.Errorf("after %s: %v", row.name, err)
			}
		}
	}
}

// drain asks for a few tokens and reads what comes.
func (w *world) drain(stream bool) {
	w.Helper()
	body := `{"model":"` + networkModel + `","max_tokens":20,"messages":[{"role":"user","content":"go on"}]`
	if stream {
		body += `,"stream":true`
	}
	resp, err := harness.Client().Post("http://"+w.front+"/v1/chat/completions", object, strings.NewReader(body+"}"))
	w.must(err)
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // it breaks off
}

// TestLargeAnswersLeaveMemoryToOthers has it answer jobs for images with large answers of
// which the end does not come, until all memory for bodies would be in use.
func TestLargeAnswersLeaveMemoryToOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ready()
	release := make(chan struct{})
	var announced atomic.Int64 // how large the next answer is
	came := make(chan struct{}, 100)
	w.cheat.with(func() {
		w.cheat.cheat = func(_ int, rw http.ResponseWriter) bool {
			floods(rw, object, `{"images":[{"url":"data:image/png;base64,`, "A", int(announced.Load()))
			_ = http.NewResponseController(rw).Flush()
			came <- struct{}{}
			<-release
			return true
		}
	})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(release)
	jobs := 0
	for size := int64(120 << 20); size > 200<<10; {
		announced.Store(size)
		refused := make(chan string, 1)
		wg.Go(func() { refused <- w.picture() })
		select {
		case <-came: // it holds what it has, or was cut off
		case text := <-refused:
			t.Logf("%d KiB: %.100s", size>>10, text)
		case <-time.After(30 * time.Second):
			t.Fatalf("%d KiB: neither all of the answer nor a refusal", size>>10)
		}
		if jobs++; jobs%3 == 0 {
			size /= 2
		}
	}
	w.cheat.with(func() { w.cheat.cheat = nil })
	for i := range 4 {
		status, text := w.request("/v1/chat/completions", fmt.Sprintf(
			`{"model":%q,"max_tokens":20,"messages":[{"role":"user","content":"%d %s"}]}`, networkModel, i,
			strings.Repeat("long ", 1<<18)))
		if status != http.StatusOK {
			t.Fatalf("job %d alongside the large answers: %d %.200s", i, status, text)
		}
	}
}

// image asks for an image and returns what comes in its place.
func (w *world) picture() string {
	resp, err := harness.Client().Post("http://"+w.front+"/text-to-image", object,
		strings.NewReader(`{"prompt":"a cat","model_id":"`+networkModel+`","width":64,"height":64}`))
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return string(text)
}
