package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pipelines"
)

// pipelineNodes are a runner of all pipelines, an orchestrator before it and a
// gateway before that.
type pipelineNodes struct {
	runner   *pipelines.Runner
	node     *harness.Process
	gateway  *harness.Process
	orch, gw string
}

func startPipelines(t *testing.T, gatewayArgs ...string) *pipelineNodes {
	t.Helper()
	n := &pipelineNodes{runner: pipelines.Start(t)}
	n.node, n.orch = aiOrchestrator(t, pipelineEntries(n.runner))
	for _, p := range pipeline.Table() {
		awaitModel(t, n.node, n.orch, pipelines.Model(p.Name), "ready")
	}
	n.gateway, n.gw = gateway(t, n.orch, gatewayArgs...)
	return n
}

// pipelineEntries name a runner for each pipeline.
func pipelineEntries(r *pipelines.Runner) []entry {
	var models []entry
	for _, p := range pipeline.Table() {
		models = append(models, entry{
			"pipeline": p.Name, "model_id": pipelines.Model(p.Name), "warm": true,
			"price_per_unit": 0, "pixels_per_unit": 1, "url": r.URL(p.Name),
		})
	}
	return models
}

// part is a file of a form.
type part struct {
	name string
	data []byte
}

// written is a multipart form.
func written(t *testing.T, file part, fields map[string]string) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if err := w.WriteField(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if file.name != "" {
		f, err := w.CreateFormFile(file.name, "input.bin")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(file.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.FormDataContentType(), b.Bytes()
}

// sent posts a body and reads the answer.
func sent(t *testing.T, url, contentType string, body []byte, header ...string) (*http.Response, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := harness.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, out
}

// postForm posts a form to the gateway.
func (n *pipelineNodes) postForm(t *testing.T, path string, file part, fields map[string]string,
	header ...string) (*http.Response, []byte) {
	t.Helper()
	contentType, body := written(t, file, fields)
	return sent(t, n.gw+path, contentType, body, header...)
}

// postJSON posts an object to the gateway.
func (n *pipelineNodes) postJSON(t *testing.T, path string, object map[string]any) (*http.Response, []byte) {
	t.Helper()
	body, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return sent(t, n.gw+path, "application/json", body)
}

// mediaReply is what pipelines of media answer.
type mediaReply struct {
	Images []mediaItem
	Audio  *mediaItem
}

type mediaItem struct {
	URL  string
	Seed json.Number
	NSFW *bool
}

// readMedia reads an answer with media in it.
func readMedia(t *testing.T, res *http.Response, body []byte) mediaReply {
	t.Helper()
	var out mediaReply
	if err := json.Unmarshal(body, &out); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%v: %s %s", err, res.Status, body)
	}
	if kind := res.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		t.Errorf("content type %q", kind)
	}
	return out
}

// fetched gets a result where the answer says it is, which must be the gateway.
func (n *pipelineNodes) fetched(t *testing.T, url string) []byte {
	t.Helper()
	if !strings.HasPrefix(url, n.gw+"/") {
		t.Fatalf("a result is at %s, not at the gateway %s", url, n.gw)
	}
	return body(t, url)
}

// logged is the last line of a process's log that has all pieces.
func logged(p *harness.Process, pieces ...string) (line string) {
	for l := range strings.Lines(p.Log()) {
		has := true
		for _, piece := range pieces {
			has = has && strings.Contains(l, piece)
		}
		if has {
			line = l
		}
	}
	return line
}

// eventually waits for a condition, for a subtest: a Process fails the test that
// started it.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	late := time.NewTimer(harnessTime)
	defer late.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-late.C:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// harnessTime is how long a test waits for something that must come.
const harnessTime = 20 * time.Second
