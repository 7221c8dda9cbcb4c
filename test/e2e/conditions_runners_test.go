package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
	"github.com/tuttinode/tutti/test/harness"
)

// broken is a model that cannot be served, and what that is called.
type broken struct {
	model, pipeline string
	// image is the container's, "" the fake runner's; flags its environment. url is
	// a server instead.
	image string
	flags map[string]string
	url   string
	extra entry
	code  fault.Code
}

func (b *broken) entry(runner string) entry {
	out := entry{"pipeline": b.pipeline, "model_id": b.model, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1}
	switch {
	case b.url != "":
		out["url"] = b.url
	case b.image != "override":
		out["image"] = runner
		if b.image != "" {
			out["image"] = b.image
		}
	}
	if b.flags != nil {
		out["optimization_flags"] = b.flags
	}
	for k, v := range b.extra {
		out[k] = v
	}
	return out
}

// says is a runner that ends at start after these words.
func says(words string) map[string]string {
	return map[string]string{"FAKE_EXIT": "1", "FAKE_SAY": words}
}

// page is a server that answers everything alike.
func page(t *testing.T, status int, contentType, text string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// tag gives an image of the engine another name.
func tag(t *testing.T, e *engine.Engine, image, name string) string {
	t.Helper()
	if _, err := e.API.ImageTag(t.Context(), client.ImageTagOptions{Source: image, Target: name}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = e.API.ImageRemove(context.WithoutCancel(t.Context()), name, client.ImageRemoveOptions{Force: true})
	})
	return name
}

// importProgram makes an image whose program is a file with this text.
func importProgram(t *testing.T, e *engine.Engine, name, file, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	e.Import(t, dir, name, []string{"/program"}, nil)
	return name
}

// brokenModels are all kinds of runners that do not start or are none.
func brokenModels(t *testing.T, e *engine.Engine) []broken {
	const cuda = "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total " +
		"capacity of 7.79 GiB"
	other := canned(t, http.NotFound)
	return []broken{
		{model: "test/silent", flags: says(""), code: fault.ContainerExited},
		{model: "test/words", flags: says("ValueError: the weights are damaged"), code: fault.ContainerExited},
		{model: "test/gpu-memory", flags: says(cuda), code: fault.ContainerOOM},
		{model: "test/main-memory", flags: says("terminate called after throwing an instance of 'std::bad_alloc'"),
			code: fault.ContainerOOM},
		{model: "test/no-gpu", flags: says("RuntimeError: Found no NVIDIA driver on your system."),
			code: fault.GPUToolkitMissing},
		{model: "test/old-driver", flags: says("CUDA driver version is insufficient for CUDA runtime version"),
			code: fault.GPUDriverTooOld},
		{model: "test/old-tag", image: tag(t, e, e.RunnerImage(t), "tutti-test/ai-runner:llm-0.9.0"), flags: says(""),
			code: fault.ImageMismatch},
		{model: "test/override", pipeline: "image-to-text", image: "override", flags: says(""), code: fault.ImageMismatch},
		{model: "test/no-program", image: importProgram(t, e, "tutti-test/nothing:1", "readme", "no program"),
			code: fault.ContainerCannotRun},
		{model: "test/other-machine",
			image: importProgram(t, e, "tutti-test/other:1", "program", "\x7fELF of another machine"),
			code:  fault.ImageWrongPlatform},
		{model: "test/no-registry", image: "127.0.0.1:1/tutti/ai-runner:llm", code: fault.ImagePullFailed},
		{model: "test/unhealthy", flags: map[string]string{"FAKE_HEALTH": "ERROR"}, code: fault.ModelUnhealthy},
		{model: "test/nobody", url: "http://" + harness.Address(t), code: fault.RunnerUnreachable},
		{model: "test/elsewhere", url: page(t, http.StatusNotFound, "text/plain", "404 page not found"),
			code: fault.RunnerGarbled},
		{model: "test/page", url: page(t, http.StatusOK, "text/html", "<html>hello</html>"), code: fault.RunnerGarbled},
		{model: "test/locked", url: page(t, http.StatusUnauthorized, "application/json",
			`{"detail":{"msg":"Invalid bearer token."}}`),
			extra: entry{"token": "not-the-right-one"}, code: fault.RunnerAuth},
		{model: "test/other-model", url: other.URL, extra: entry{"served_model": "who/knows"},
			code: fault.RunnerModelMissing},
	}
}

// TestBrokenRunners has one node serve video, two models that work, and one of
// every kind that does not. Each of these is named with its remedy wherever an
// operator or client looks, once in the log, and the others notice nothing.
func TestBrokenRunners(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	const healthy, old = "test/healthy", "test/old-release"
	server := canned(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant",`+
			`"content":"word"}}],"usage":{"completion_tokens":1}}`)
	})
	entries := []entry{
		managed(e, t, healthy, map[string]string{"FAKE_WORDS": "5"}),
		managed(e, t, old, map[string]string{"FAKE_VERSION": "0.9.2"}),
		llmEntry(cannedModel, server.URL),
	}
	rows := brokenModels(t, e)
	for i := range rows {
		if rows[i].pipeline == "" {
			rows[i].pipeline = "llm"
		}
		entries = append(entries, rows[i].entry(e.RunnerImage(t)))
	}
	n := startNode(t, setup{engine: e, entries: entries, args: []string{"-transcoder", "-aiAllowUnverified",
		"-aiRunnerContainersPerGPU", fmt.Sprint(len(entries)),
		"-aiRunnerImageOverrides", `{"batch":{"image-to-text":"` + tag(t, e, e.RunnerImage(t), "tutti-test/ai-runner:0.9.0") +
			`"}}`}})
	_, gw := gateway(t, n.orch)
	awaitModel(t, n.Process, n.orch, healthy, "ready")
	awaitModel(t, n.Process, n.orch, cannedModel, "ready")

	codes := []fault.Code{fault.RunnerVersionMismatch}
	for _, row := range rows {
		n.fails(row.pipeline, row.model, row.code)
		codes = append(codes, row.code)
		mustAsk(t, gw+"/llm", "", chatRequest(healthy, 3, false))
		mustAsk(t, gw+"/llm", "", chatRequest(cannedModel, 3, false))
	}
	for _, s := range segments(t, small(2)) {
		out, err := harness.Push(gw, "movie", fmt.Sprintf("%d.ts", s.Number), s.Data, s.Duration)
		if err != nil {
			t.Fatal(err)
		}
		checkRenditions(t, s, out)
	}
	// A client asks for each of them.
	for _, row := range rows {
		if row.pipeline != "llm" {
			continue
		}
		a, err := ask(t.Context(), gw+"/v1/chat/completions", "", chatRequest(row.model, 3, false))
		if err != nil || a.Status != http.StatusServiceUnavailable || a.Error != "ModelUnavailable" ||
			!strings.Contains(a.Body, "("+string(row.code)+")") {
			t.Errorf("%s: %v, %+v", row.model, err, a)
		}
	}
	// It works, and is watched because it may not.
	awaitModel(t, n.Process, n.orch, old, "ready")
	n.condition(fault.RunnerVersionMismatch, "llm "+old)
	mustAsk(t, gw+"/llm", "", chatRequest(old, 3, false))

	// By now all of them were tried again.
	for _, row := range rows {
		n.warnedOnce(row.code, `about="`+row.pipeline+" "+row.model+`"`)
	}
	n.warnedOnce(fault.RunnerVersionMismatch)
	for _, c := range n.conditions() {
		if c.About == "llm "+healthy || c.About == "llm "+cannedModel {
			t.Errorf("%+v", c)
		}
	}
	explained(t, codes...)
}
