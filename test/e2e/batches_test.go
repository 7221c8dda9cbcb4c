package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// TestBatchClients points the stock OpenAI client at a gateway's files and batches.
func TestBatchClients(t *testing.T) {
	t.Parallel()
	s := startScript(t)
	node, orch := aiOrchestrator(t, []entry{llmEntry(scriptedID, s.url)})
	awaitModel(t, node, orch, scriptedID, "ready")
	keys := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(keys, []byte(`[{"name": "suite", "key": "tk-suite-0123456789abcdef"},
		{"name": "other", "key": "tk-other-0123456789abcdef"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	admin := harness.Address(t)
	_, gw := gatewayAt(t, orch, admin, "-apiKeys", keys, "-aiBatchStorage", "1GB", "-aiBatchConcurrency", "2", "-monitor")
	runResponses(t, "../openai", "../openai/batches.cjs", gw)
	_, text := harness.Get(t, "http://"+admin+"/metrics")
	for _, series := range []string{`tutti_ai_batches_total\{.*status="completed"\} [1-9]`,
		`tutti_ai_batch_lines_total\{.*result="completed"\} [1-9]`, `tutti_ai_batch_bytes\{.*\} [1-9]`,
		`tutti_ai_batch_bytes_limit\{.*\} 1e\+09`} {
		if !regexp.MustCompile(series).Match(text) {
			t.Errorf("no %s", series)
		}
	}
}

// TestBatchesOff: a gateway without storage refuses batches by name.
func TestBatchesOff(t *testing.T) {
	t.Parallel()
	_, gw := gateway(t, harness.Address(t))
	for _, path := range []string{"/v1/files", "/v1/files/x", "/v1/batches", "/v1/batches/x/cancel"} {
		res, err := harness.Client().Get(gw + path)
		if err != nil {
			t.Fatal(err)
		}
		if body := string(readAll(t, res)); res.StatusCode != http.StatusNotFound || !strings.Contains(body, "BatchesOff") {
			t.Errorf("%s says %d %s", path, res.StatusCode, body)
		}
	}
}

// batchKey is the key of the tests below.
const batchKey = "tk-batches-0123456789abcdef"

// batchModel is a model server that counts the requests by what they say, and lets them wait.
type batchModel struct {
	mu sync.Mutex // guards what follows
	// ran counts, waiting are those that wait. Requests beyond free wait for their client to leave, or for release.
	ran     map[string]int
	waiting int
	free    int
	release chan struct{}
}

func (m *batchModel) chat(w http.ResponseWriter, r *http.Request) {
	var in struct{ Messages []struct{ Content string } }
	if json.NewDecoder(r.Body).Decode(&in) != nil || len(in.Messages) != 1 {
		http.Error(w, "no chat", http.StatusBadRequest)
		return
	}
	said := in.Messages[0].Content
	m.mu.Lock()
	m.ran[said]++
	m.free--
	wait, release := m.free < 0, m.release
	if wait {
		m.waiting++
	}
	m.mu.Unlock()
	if wait {
		select {
		case <-release:
		case <-r.Context().Done():
		}
		m.mu.Lock()
		m.waiting--
		m.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"id":"1","object":"chat.completion","created":1,"model":%q,"choices":[{"index":0,"message":`+
		`{"role":"assistant","content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1,`+
		`"total_tokens":4}}`, cannedModel, said)
}

// set lets so many requests through, and those that wait.
func (m *batchModel) set(free int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free = free
	if m.release != nil {
		close(m.release)
	}
	m.release = make(chan struct{})
}

func (m *batchModel) waits() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.waiting
}

// batchGateway is a gateway with a key before a model.
type batchGateway struct {
	t         *testing.T
	model     *batchModel
	orch, dir string
	keys      string
	process   *harness.Process
	// node is the orchestrator's process.
	node *harness.Process
	url  string
}

// newBatchGateway starts one. limits are more fields of its key.
func newBatchGateway(t *testing.T, free int, limits string) *batchGateway {
	t.Helper()
	m := &batchModel{ran: make(map[string]int)}
	m.set(free)
	s := canned(t, m.chat)
	node, orch := aiOrchestrator(t, []entry{llmEntry(cannedModel, s.URL)})
	awaitModel(t, node, orch, cannedModel, "ready")
	g := &batchGateway{t: t, model: m, node: node, orch: orch, dir: t.TempDir(),
		keys: filepath.Join(t.TempDir(), "keys.json")}
	if err := os.WriteFile(g.keys, []byte(`[{"name":"app","key":"`+batchKey+`"`+limits+`}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	g.start()
	t.Cleanup(func() { m.set(1 << 20) })
	return g
}

func (g *batchGateway) start() {
	g.t.Helper()
	addr := harness.Address(g.t)
	g.process = harness.Start(g.t, binary, "-gateway", "-orchAddr", g.orch, "-httpAddr", addr, "-cliAddr",
		harness.Address(g.t), "-dataDir", g.dir, "-transcodingOptions", ladder, "-apiKeys", g.keys, "-aiBatchStorage", "1GB",
		"-aiBatchConcurrency", "3")
	g.process.WaitHTTP("http://" + addr + "/healthz")
	g.url = "http://" + addr
}

// begin uploads requests that say 0 to n-1 and makes a batch of them.
func (g *batchGateway) begin(n int) string {
	g.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	_ = w.WriteField("purpose", "batch")
	f, _ := w.CreateFormFile("file", "in.jsonl")
	for i := range n {
		fmt.Fprintf(f, `{"custom_id":"%d","method":"POST","url":"/v1/chat/completions","body":{"model":%q,"max_tokens":5,`+
			`"messages":[{"role":"user","content":"%d"}]}}`+"\n", i, cannedModel, i)
	}
	_ = w.Close()
	r, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, g.url+"/v1/files", &form)
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Header.Set("Authorization", "Bearer "+batchKey)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	var made struct{ ID string }
	if body := readAll(g.t, res); json.Unmarshal(body, &made) != nil || made.ID == "" {
		g.t.Fatalf("the upload says %s", body)
	}
	callKeys(g.t, "POST", g.url+"/v1/batches", batchKey, `{"input_file_id":"`+made.ID+
		`","endpoint":"/v1/chat/completions","completion_window":"24h"}`, http.StatusOK, &made)
	return made.ID
}

// batchStatus is what a batch says.
type batchStatus struct {
	Status string
	Out    string                                 `json:"output_file_id"`
	Err    string                                 `json:"error_file_id"`
	Counts struct{ Total, Completed, Failed int } `json:"request_counts"`
}

func (g *batchGateway) await(id, state string) (b batchStatus) {
	g.t.Helper()
	g.process.Wait("the batch to be "+state, 60*time.Second, func() bool {
		callKeys(g.t, "GET", g.url+"/v1/batches/"+id, batchKey, "", http.StatusOK, &b)
		return b.Status == state
	})
	return b
}

// lines returns how often each custom ID is in a file, and the file.
func (g *batchGateway) lines(file string) (map[string]int, string) {
	g.t.Helper()
	out := make(map[string]int)
	if file == "" {
		return out, ""
	}
	r, err := http.NewRequestWithContext(g.t.Context(), http.MethodGet, g.url+"/v1/files/"+file+"/content", nil)
	if err != nil {
		g.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+batchKey)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		g.t.Fatal(err)
	}
	text := string(readAll(g.t, res))
	for line := range strings.Lines(text) {
		var in struct {
			ID string `json:"custom_id"`
		}
		if err := json.Unmarshal([]byte(line), &in); err != nil {
			g.t.Fatal(line, err)
		}
		out[in.ID]++
	}
	return out, text
}

// recorded returns what was said in requests whose answers are on disk, with how often they ran.
func (g *batchGateway) recorded() map[string]int {
	g.t.Helper()
	out := make(map[string]int)
	files, _ := filepath.Glob(filepath.Join(g.dir, "batches", "file-*.data"))
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			g.t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var in struct {
				ID       string `json:"custom_id"`
				Response *struct{}
			}
			if json.Unmarshal([]byte(line), &in) == nil && in.Response != nil {
				g.model.mu.Lock()
				out[in.ID] = g.model.ran[in.ID]
				g.model.mu.Unlock()
			}
		}
	}
	return out
}

// A gateway is killed again and again in the middle of a batch. Each line has one answer in the end, and none runs
// again whose answer was on disk.
func TestABatchSurvivesKills(t *testing.T) {
	t.Parallel()
	g := newBatchGateway(t, 4, "")
	const n = 25
	id := g.begin(n)
	last := make(map[string]int)
	for range 3 {
		g.process.Wait("lines in progress", 60*time.Second, func() bool { return g.model.waits() == 3 })
		g.process.Signal(syscall.SIGKILL)
		g.process.Exit(20 * time.Second)
		for said, ran := range g.recorded() {
			if before, known := last[said]; known && before != ran {
				t.Errorf("%s ran again after its answer was on disk", said)
			}
			last[said] = ran
		}
		g.node.Wait("the lines to end", 60*time.Second, func() bool { return g.model.waits() == 0 })
		g.model.set(4)
		g.start()
	}
	if len(last) < 6 {
		t.Errorf("only %d answers were on disk", len(last))
	}
	g.model.set(1 << 20)
	b := g.await(id, "completed")
	got, _ := g.lines(b.Out)
	for i := range n {
		if got[fmt.Sprint(i)] != 1 {
			t.Errorf("%d has %d answers", i, got[fmt.Sprint(i)])
		}
	}
	for said, ran := range last {
		if now := g.recorded()[said]; now != ran {
			t.Errorf("%s ran %d times, %d before its answer was on disk", said, now, ran)
		}
	}
	if b.Counts.Completed != n || b.Err != "" {
		t.Errorf("%+v", b)
	}
}

// An upgrade in the middle of a batch runs no line in both processes.
func TestABatchSurvivesAnUpgrade(t *testing.T) {
	t.Parallel()
	g := newBatchGateway(t, 4, "")
	const n = 15
	id := g.begin(n)
	g.process.Wait("lines in progress", 60*time.Second, func() bool { return g.model.waits() == 3 })
	upgradeLive(t, g.process)
	var b batchStatus
	callKeys(t, "GET", g.url+"/v1/batches/"+id, batchKey, "", http.StatusOK, &b)
	if b.Status != "in_progress" || g.model.waits() != 3 {
		t.Errorf("the batch is %+v, %d lines are in progress", b, g.model.waits())
	}
	g.model.set(1 << 20)
	awaitEnd(t, g.process)
	b = g.await(id, "completed")
	got, _ := g.lines(b.Out)
	for i := range n {
		said := fmt.Sprint(i)
		if got[said] != 1 || g.recorded()[said] != 1 {
			t.Errorf("%d has %d answers and ran %d times", i, got[said], g.recorded()[said])
		}
	}
}

// A budget that ends in the middle refuses the rest of the lines, and is kept.
func TestABatchEndsItsBudget(t *testing.T) {
	t.Parallel()
	g := newBatchGateway(t, 1<<20, `,"budget":60`)
	b := g.await(g.begin(40), "completed")
	good, _ := g.lines(b.Out)
	bad, text := g.lines(b.Err)
	if len(good) < 3 || len(good) > 15 || len(good)+len(bad) != 40 || !strings.Contains(text, `"insufficient_quota"`) ||
		!strings.Contains(text, `"status_code":402`) {
		t.Errorf("%d answers, %d refused: %.500s", len(good), len(bad), text)
	}
	var self struct{ Used, Reserved, Requests int }
	callKeys(t, "GET", g.url+"/v1/keys/self", batchKey, "", http.StatusOK, &self)
	if self.Used > 60 || self.Reserved != 0 || self.Requests != len(good) {
		t.Errorf("%d answers, and the key has %+v", len(good), self)
	}
}
