package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// uploads is how many requests are sent at once, and uploadSize what the picture in each has.
const (
	uploads    = 32
	uploadSize = 30 << 20
)

// swallow is a model server that answers when it has all of that many requests, and holds none of them in memory.
func swallow(t *testing.T, requests int) (url string, sizes func() []int64) {
	t.Helper()
	var mu sync.Mutex
	var got []int64
	all := make(chan struct{})
	s := canned(t, func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		mu.Lock()
		if err == nil && n > uploadSize {
			if got = append(got, n); len(got) == requests {
				close(all)
			}
		}
		mu.Unlock()
		select {
		case <-all:
		case <-r.Context().Done():
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",`+
			`"content":"word"}}],"usage":{"completion_tokens":1}}`)
	})
	return s.URL, func() []int64 {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// encodedText is base64 without end.
type encodedText struct{}

func (encodedText) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = "QUJD"[i%4]
	}
	return len(p), nil
}

// peakMemory is the most memory that a process had, in bytes.
func peakMemory(t *testing.T, p *harness.Process) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		t.Skip("this system does not tell the memory of a process: ", err)
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, err := strconv.ParseInt(strings.Fields(rest + " x")[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// TestLargeBodiesAreOnDisk: 32 requests at once with a picture of 30 MiB each, of which gateway and orchestrator would
// hold 1 GB in memory, raise the memory of both by less than 200 MB, arrive byte for byte, and leave no file.
func TestLargeBodiesAreOnDisk(t *testing.T) {
	t.Parallel()
	url, sizes := swallow(t, uploads)
	dirs := [2]string{t.TempDir(), t.TempDir()}
	node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, url)}, "-dataDir", dirs[0])
	awaitModel(t, node, orch, cannedModel, "ready")
	process, gw := gateway(t, orch, "-dataDir", dirs[1])
	before := [2]int64{peakMemory(t, node), peakMemory(t, process)}
	head := `{"model":"` + cannedModel + `","max_tokens":5,"messages":[{"role":"user","content":[{"type":"image_url",` +
		`"image_url":{"url":"data:image/png;base64,`
	const tail = `"}}]}]}`
	size := int64(len(head) + uploadSize + len(tail))
	var all sync.WaitGroup
	for range uploads {
		all.Go(func() {
			body := io.MultiReader(strings.NewReader(head), io.LimitReader(encodedText{}, uploadSize), strings.NewReader(tail))
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, gw+"/v1/chat/completions", body)
			if err != nil {
				t.Error(err)
				return
			}
			r.ContentLength = size
			r.Header.Set("Content-Type", "application/json")
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if text, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusOK {
				t.Errorf("%s: %.300s", res.Status, text)
			}
		})
	}
	all.Wait()
	for _, n := range sizes() {
		if n < size || n > size+200 { // the orchestrator may add max_tokens
			t.Errorf("the model server got %d bytes of %d", n, size)
		}
	}
	for i, p := range []*harness.Process{node, process} {
		rise := peakMemory(t, p) - before[i]
		t.Logf("%s: %d MB more", []string{"orchestrator", "gateway"}[i], rise/1e6)
		if rise >= 200e6 {
			t.Errorf("process %d: %d MB more for %d requests of %d MB", i, rise/1e6, uploads, uploadSize/1_000_000)
		}
		p.Wait("no files of requests", 20*time.Second, func() bool { return openSpools(t, p, dirs[i]) == 0 })
	}
}

// openSpools counts the open files without a name that a process has in a folder, and those with one.
func openSpools(t *testing.T, p *harness.Process, dir string) (n int) {
	t.Helper()
	named, err := filepath.Glob(filepath.Join(dir, ".request-*"))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if to, err := os.Readlink(file); err == nil && strings.Contains(to, ".request-") {
			n++
		}
	}
	return n + len(named)
}

// TestLargeBodyIsTheSame: a chat with a picture, a sound and a PDF of several MiB reaches the model server byte for
// byte, behind a name of the gateway's operator too, and text as large stays text.
func TestLargeBodyIsTheSame(t *testing.T) {
	t.Parallel()
	var got []byte
	s := canned(t, func(w http.ResponseWriter, r *http.Request) {
		got, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",`+
			`"content":"word"}}],"usage":{"completion_tokens":1}}`)
	})
	node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, s.URL)})
	awaitModel(t, node, orch, cannedModel, "ready")
	routing := writeFile(t, "names.json",
		`{"models":{"mine":{"model":"`+cannedModel+`","parameters":{"temperature":0.5}}}}`)
	_, gw := gateway(t, orch, "-aiRouting", routing)
	long := func(n int) string { return strings.Repeat("QUJD", n<<18) }
	parts := `[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + long(2) + `"}},` +
		`{"type":"input_audio","input_audio":{"data":"` + long(1) + `","format":"wav"}},` +
		`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + long(2) + `"}},` +
		`{"type":"text","text":"` + long(1) + ` words"}]`
	for _, model := range []string{cannedModel, "mine"} {
		body := `{"model":"` + model + `","max_tokens":5,"messages":[{"role":"user","content":` + parts + `}]}`
		res, err := http.Post(gw+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK || !bytes.Contains(got, []byte(parts)) {
			t.Errorf("%s: %s %.300s: the server got %d bytes of %d", model, res.Status, text, len(got), len(body))
		}
		if model == cannedModel && string(got) != body {
			t.Errorf("%s: the request was changed: %.200s … %s", model, got, got[max(0, len(got)-100):])
		}
	}
}
