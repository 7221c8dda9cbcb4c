package backend_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

var text = []inference.Operation{inference.Chat, inference.Completion}

// What each kind of server says, or always can.
var (
	constrained = inference.Features{Has: inference.JSONSchema | inference.Logprobs}
	textOnly    = inference.Features{Has: constrained.Has, Lacks: inference.Vision | inference.AudioInput}
	ollamaTools = inference.Features{Has: inference.JSONSchema | inference.Tools, Lacks: inference.Vision}
)

func TestProbe(t *testing.T) {
	t.Parallel()
	gpus := []backend.GPU{
		{ID: "GPU-a", Name: "NVIDIA L4", MemoryTotal: 24152899584, MemoryFree: 24000000000, Major: 8, Minor: 9},
		{ID: "GPU-b", Name: "NVIDIA L4", MemoryTotal: 24152899584, MemoryFree: 1000000000, Major: 8, Minor: 9},
	}
	embedding := func(p map[string]page) map[string]page {
		p["/v1/embeddings"] = page{200, "llamacpp/embed.json"}
		return p
	}
	and := func(p map[string]page, path string, q page) map[string]page {
		p[path] = q
		return p
	}
	tests := []struct {
		name   string
		pages  map[string]page
		change func(o *backend.Options)
		want   backend.Info
	}{
		{"llama.cpp", llamaPages(), nil, backend.Info{
			Kind: backend.LlamaCpp, Health: backend.OK, Served: "tutti/tiny-counting", Models: []string{"tutti/tiny-counting"},
			Version: "b11669-Debian", Slots: 4, Context: 4096, Operations: text, Features: textOnly,
		}},
		{"llama.cpp, any name", llamaPages(), func(o *backend.Options) { o.Served = "mine" }, backend.Info{
			Kind: backend.LlamaCpp, Health: backend.OK, Served: "mine", Models: []string{"tutti/tiny-counting"},
			Version: "b11669-Debian", Slots: 4, Context: 4096, Operations: text, Features: textOnly,
			Unlisted: `the model server does not list "mine"; it has "tutti/tiny-counting"`,
		}},
		{"llama.cpp for embeddings", embedding(llamaPages()), nil, backend.Info{
			Kind: backend.LlamaCpp, Health: backend.OK, Served: "tutti/tiny-counting", Models: []string{"tutti/tiny-counting"},
			Version: "b11669-Debian", Slots: 4, Context: 4096, Operations: []inference.Operation{inference.Embedding},
		}},
		{"llama.cpp for ranks", and(llamaPages(), "/v1/rerank", page{200, "llamacpp/rerank.json"}), nil, backend.Info{
			Kind: backend.LlamaCpp, Health: backend.OK, Served: "tutti/tiny-counting", Models: []string{"tutti/tiny-counting"},
			Version: "b11669-Debian", Slots: 4, Context: 4096, Operations: []inference.Operation{inference.Rerank},
		}},
		{"llama.cpp for both", and(embedding(llamaPages()), "/v1/chat/completions", page{200, "llamacpp/chat.json"}), nil,
			backend.Info{
				Kind: backend.LlamaCpp, Health: backend.OK, Served: "tutti/tiny-counting", Models: []string{"tutti/tiny-counting"},
				Version: "b11669-Debian", Slots: 4, Context: 4096,
				Operations: []inference.Operation{inference.Chat, inference.Completion, inference.Embedding},
				Features:   textOnly,
			}},
		{"llama.cpp with all", and(llamaPages(), "/props", page{200, `{"modalities":{"vision":true,"audio":true},
			"chat_template_caps":{"supports_tools":true}}`}), nil, backend.Info{
			Kind: backend.LlamaCpp, Health: backend.OK, Served: "tutti/tiny-counting", Models: []string{"tutti/tiny-counting"},
			Slots: 4, Assumed: true, Operations: text, Features: inference.Features{Has: inference.Parameters},
		}},
		{"llama.cpp that says nothing", and(llamaPages(), "/props", page{200, `{"chat_template_caps":
			{"supports_tools":false}}`}), nil, backend.Info{
			Kind: backend.LlamaCpp, Health: backend.OK, Served: "tutti/tiny-counting", Models: []string{"tutti/tiny-counting"},
			Slots: 4, Assumed: true, Operations: text, Features: constrained,
		}},
		{"ollama with pictures", and(ollamaPages(), "/api/show",
			page{200, `{"capabilities":["completion","vision","audio"]}`}), nil, backend.Info{
			Kind: backend.Ollama, Health: backend.OK, Served: "llama3.1:8b",
			Models:  []string{"llama3.1:8b", "nomic-embed-text:latest"},
			Version: "0.17.4", Slots: 1, Assumed: true, Context: 4096, Operations: text,
			Features: inference.Features{Has: inference.JSONSchema | inference.Vision | inference.AudioInput,
				Lacks: inference.Tools},
		}},
		{"llama.cpp loading", map[string]page{"/health": {503,
			`{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`}}, nil, backend.Info{
			Kind: backend.LlamaCpp, Health: backend.Loading, Reason: "Loading model",
		}},
		{"vllm", vllmPages(), nil, backend.Info{
			Kind: backend.VLLM, Health: backend.OK, Served: llama8B, Models: []string{llama8B},
			Version: "0.11.0", Slots: 128, Assumed: true, Context: 8192, Operations: text, Features: constrained,
		}},
		{"ollama, known tag", ollamaPages(), nil, backend.Info{
			Kind: backend.Ollama, Health: backend.OK, Served: "llama3.1:8b",
			Models:  []string{"llama3.1:8b", "nomic-embed-text:latest"},
			Version: "0.17.4", Slots: 1, Assumed: true, Context: 4096, Operations: text, Features: ollamaTools,
		}},
		{"ollama, latest", and(ollamaPages(), "/api/show", page{200, "ollama/show-embed.json"}),
			func(o *backend.Options) { o.Served = "nomic-embed-text" }, backend.Info{
				Kind: backend.Ollama, Health: backend.OK, Served: "nomic-embed-text:latest",
				Models:  []string{"llama3.1:8b", "nomic-embed-text:latest"},
				Version: "0.17.4", Slots: 1, Assumed: true, Operations: []inference.Operation{inference.Embedding},
			}},
		{"other server", map[string]page{"/v1/models": {200, `{"data":[{"id":"a"},{"id":""},{"id":"b"}]}`}},
			func(o *backend.Options) { o.Served = "b" }, backend.Info{
				Kind: backend.OpenAI, Health: backend.OK, Served: "b", Models: []string{"a", "b"}, Slots: 4, Assumed: true,
				Operations: text,
			}},
		{"other server in the contract's words", map[string]page{"/health": {200, `{"status":"OK"}`},
			"/v1/models": {200, `{"data":[{"id":"b"}]}`}}, nil, backend.Info{
			Kind: backend.OpenAI, Health: backend.OK, Served: "b", Models: []string{"b"}, Slots: 4, Assumed: true,
			Operations: text,
		}},
		{"runner", runnerPages(), nil, backend.Info{
			Kind: backend.Contract, Health: backend.OK, Served: llama8B, Models: []string{llama8B}, Version: "0.14.1",
			Slots: 128, Assumed: true, Operations: []inference.Operation{inference.Chat}, GPUs: gpus,
		}},
		{"runner loading", map[string]page{"/health": {200, `{"status":"LOADING"}`}}, nil,
			backend.Info{Kind: backend.Contract, Health: backend.Loading}},
		{"runner in error", map[string]page{"/health": {200, `{"status":"ERROR"}`}}, nil,
			backend.Info{Kind: backend.Contract, Health: backend.Error}},
		{"runner without a status", map[string]page{"/health": {500,
			`{"detail":{"msg":"Failed to retrieve pipeline status."}}`}}, nil, backend.Info{
			Kind: backend.Contract, Health: backend.Error, Reason: "Failed to retrieve pipeline status.",
		}},
		{"runner idle", and(runnerPages(), "/health", page{200, `{"status":"IDLE"}`}), nil, backend.Info{
			Kind: backend.Contract, Health: backend.Idle, Served: llama8B, Models: []string{llama8B}, Version: "0.14.1",
			Slots: 128, Assumed: true, Operations: []inference.Operation{inference.Chat}, GPUs: gpus,
		}},
		{"shim with a health only", map[string]page{"/health": {200, "fine"}}, nil, backend.Info{
			Kind: backend.Contract, Health: backend.OK, Served: llama8B, Models: []string{llama8B},
			Slots: 1, Assumed: true, Operations: []inference.Operation{inference.Chat},
		}},
		{"runner of images", map[string]page{"/health": {200, `{"status":"OK"}`},
			"/version": {200, `{"pipeline":"text-to-image","model_id":"sd","version":"0.14.1"}`}},
			func(o *backend.Options) { o.Pipeline, o.Model = capability.TextToImage, "sd" }, backend.Info{
				Kind: backend.Contract, Health: backend.OK, Served: "sd", Models: []string{"sd"}, Version: "0.14.1", Slots: 1,
				Assumed: true,
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tt.pages)
			o := options(f.url + "/v1/")
			if tt.change != nil {
				tt.change(&o)
			}
			s := newServer(t, o)
			for range 2 {
				got, err := s.Probe(within(t))
				if err != nil || !reflect.DeepEqual(got, tt.want) {
					t.Errorf("got %+v, %v\nwant %+v", got, err, tt.want)
				}
			}
		})
	}
}

func TestProbeFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		pages  map[string]page
		code   fault.Code
		detail string
	}{
		{"nothing of ours", map[string]page{"/": {200, "<html>"}}, fault.RunnerGarbled,
			"the model server returned 404: 404 page not found (/v1/models)"},
		{"a page everywhere", map[string]page{"/health": {200, "\n<!doctype html>"}, "/v1/models": {200, "<html>"}},
			fault.RunnerGarbled, "the model server answers /health with a web page"},
		{"token refused", map[string]page{"/health": {200, ""},
			"/v1/models": {401, `{"error":{"message":"Invalid API Key"}}`}}, fault.RunnerAuth,
			"the model server returned 401: Invalid API Key (/v1/models)"},
		{"busy", map[string]page{"/v1/models": {429, ``}}, fault.RunnerBusy, "the model server returned 429 (/v1/models)"},
		{"failing", map[string]page{"/v1/models": {500, `oops`}}, fault.RunnerFailed,
			"the model server returned 500: oops (/v1/models)"},
		{"another model", map[string]page{"/v1/models": {200, `{"data":[{"id":"a"},{"id":"b"}]}`}}, fault.RunnerModelMissing,
			`the model server does not have "` + llama8B + `"; it has "a", "b"`},
		{"no model", map[string]page{"/v1/models": {200, `{"data":[]}`}}, fault.RunnerModelMissing,
			`the model server does not have "` + llama8B + `"; it has none`},
		{"runner of another", map[string]page{"/health": {200, `{"status":"OK"}`}, "/version": {200, `{"model_id":"x"}`}},
			fault.RunnerModelMissing, `the model server holds "x", not "` + llama8B + `"`},
		{"too much", map[string]page{"/health": {200, strings.Repeat("x", 2<<20)}}, fault.RunnerGarbled,
			"the model server answers /health with more than 1 MiB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, options(newFake(t, tt.pages).url))
			_, err := s.Probe(within(t))
			if _, text := fault.Public(err); !errors.Is(err, tt.code) || text != tt.detail {
				t.Errorf("%v: %q, want %s %q", err, text, tt.code, tt.detail)
			}
			if _, err := s.Run(within(t), chat(`{}`, false)); !errors.Is(err, tt.code) {
				t.Errorf("run: %v", err)
			}
		})
	}
}

func TestProbeUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s := newServer(t, options(gone.URL))
	_, err := s.Probe(within(t))
	if _, text := fault.Public(err); !errors.Is(err, fault.RunnerUnreachable) ||
		text != "the model server cannot be reached: connection refused" {
		t.Errorf("%v: %q", err, text)
	}
}

func TestProbeStalled(t *testing.T) {
	t.Parallel()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer silent.Close()
	o := options(silent.URL)
	o.ProbeTimeout = 20 * time.Millisecond
	if _, err := newServer(t, o).Probe(within(t)); !errors.Is(err, fault.RunnerStalled) {
		t.Error(err)
	}
	o.ProbeTimeout = time.Hour
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := newServer(t, o).Probe(ctx); fault.CodeOf(err) != fault.Canceled {
		t.Error(err)
	}
}

// Details are asked for once while the runner is well, and again after it was not.
func TestProbeRemembers(t *testing.T) {
	t.Parallel()
	f := newFake(t, llamaPages())
	s := newServer(t, options(f.url))
	probe := func(want backend.Health) {
		t.Helper()
		if info, err := s.Probe(within(t)); err != nil || info.Health != want {
			t.Fatalf("%+v, %v", info, err)
		}
	}
	for range 10 {
		probe(backend.OK)
	}
	if n := f.count("/props"); n != 1 {
		t.Errorf("asked for details %d times", n)
	}
	f.set("/health", page{503, `{"error":{"message":"Loading model"}}`})
	probe(backend.Loading)
	f.set("/health", page{200, `{"status":"ok"}`})
	probe(backend.OK)
	if n := f.count("/props"); n != 2 {
		t.Errorf("asked for details %d times after it was loaded anew", n)
	}
	for range 40 {
		probe(backend.OK)
	}
	if n := f.count("/props"); n != 3 {
		t.Errorf("asked for details %d times in all", n)
	}
}

// A runner that is too busy to report a detail keeps the ones it reported before.
func TestProbeKeepsDetails(t *testing.T) {
	t.Parallel()
	embed := llamaPages()
	embed["/v1/embeddings"] = page{200, "llamacpp/embed.json"}
	for _, tt := range []struct {
		name, path string
		pages      map[string]page
		busy       page
	}{
		{"embeddings", "/v1/embeddings", embed, page{503, `{"error":{"message":"busy"}}`}},
		{"slots and context", "/props", llamaPages(), page{429, ""}},
		{"slots of the network's runner", "/version", runnerPages(), page{500, ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tt.pages)
			s := newServer(t, options(f.url+"/v1/"))
			want, err := s.Probe(within(t))
			if err != nil {
				t.Fatal(err)
			}
			f.set(tt.path, tt.busy)
			for range 100 {
				if got, err := s.Probe(within(t)); err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
				}
			}
			// It is requested again soon, and not with every probe.
			if n := f.count(tt.path); n < 5 || n > 50 {
				t.Errorf("asked %d times in 100 probes", n)
			}
			f.set(tt.path, page{404, ""})
			changed := false
			for range 40 {
				got, err := s.Probe(within(t))
				if err != nil {
					t.Fatal(err)
				}
				changed = changed || !reflect.DeepEqual(got, want)
			}
			if !changed {
				t.Error("a detail that is gone for good is kept")
			}
		})
	}
}

// A detail that could not be had at first is requested again soon.
func TestProbeAsksAgain(t *testing.T) {
	t.Parallel()
	pages := llamaPages()
	pages["/v1/embeddings"] = page{503, ""}
	f := newFake(t, pages)
	s := newServer(t, options(f.url+"/v1/"))
	embeds := func() bool {
		info, err := s.Probe(within(t))
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(info.Operations, inference.Embedding)
	}
	if embeds() {
		t.Fatal("it embeds though it did not")
	}
	f.set("/v1/embeddings", page{200, "llamacpp/embed.json"})
	for range 10 {
		if embeds() {
			return
		}
	}
	t.Error("embeddings are not seen")
}

func TestURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "host:1", "ftp://host", "http://", "http://u:hunter2@host", "http://host?key=hunter2",
		"http://host/#x", "http://[::1", "http://a:hunter2%zz@h"} {
		if _, err := backend.New(backend.Options{URL: url}); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// answers is a transport without a network.
type answers func(r *http.Request) (int, string)

func (a answers) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	status, body := a(r)
	w.WriteHeader(status)
	_, _ = w.WriteString(body)
	return w.Result(), nil
}

// No answer to a probe makes a probe panic or believe the impossible.
func FuzzProbe(f *testing.F) {
	for _, v := range []string{"llamacpp/models.json", "llamacpp/props.json", "vllm/models.json", "ollama/ps.json",
		"ollama/show.json", "runner/hardware.json", "runner/version.json"} {
		f.Add([]byte(vector(f, v)), []byte(vector(f, v)), true)
	}
	f.Add([]byte(`{"status":"OK"}`), []byte(`{"gpu_info":{"a":{"memory_free":-1},"1":{"memory_total":1e99}}}`), false)
	f.Add([]byte(`{"data":[{"id":"a","owned_by":"llamacpp"}]}`),
		[]byte(`{"total_slots":-5,"default_generation_settings":{"n_ctx":-1}}`), true)
	f.Fuzz(func(t *testing.T, first, second []byte, asModels bool) {
		s := newServer(t, backend.Options{URL: "http://h", Model: "m", Pipeline: capability.LLM,
			Transport: answers(func(r *http.Request) (int, string) {
				if (r.URL.Path == "/v1/models") == asModels {
					return 200, string(first)
				}
				return 200, string(second)
			})})
		info, err := s.Probe(context.Background())
		switch {
		case err != nil:
			if fault.CodeOf(err) == fault.Unexpected {
				t.Fatal(err)
			}
		case info.Health.Usable() && (info.Slots < 1 || info.Served == "" || info.Context < 0):
			t.Fatalf("%+v", info)
		}
	})
}
