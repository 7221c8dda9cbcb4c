package backend_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// got is a request as the runner saw it.
type got struct {
	path, body string
	header     http.Header
}

// record makes a fake note its job and answer it.
func record(f *fake, status int, contentType, answer string) *got {
	g := &got{}
	f.job = func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		*g = got{r.URL.Path, string(body), r.Header.Clone()}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}
	return g
}

func TestRequests(t *testing.T) {
	t.Parallel()
	const body = `{"model":"meta-llama/Meta-Llama-3.1-8B-Instruct","messages":[{"role":"user","content":"hi"}],` +
		`"tools":[{"type":"function"}],"stop":"x", "seed":1,"max_tokens":6}`
	job := func(op inference.Operation, stream bool) *inference.Job {
		j := chat(body, stream)
		j.Operation = op
		return j
	}
	withoutEmbedding := func(p map[string]page) map[string]page {
		delete(p, "/v1/embeddings")
		return p
	}
	tests := []struct {
		name       string
		pages      map[string]page
		change     func(o *backend.Options)
		job        *inference.Job
		path, body string
	}{
		{"vllm", vllmPages(), nil, job(inference.Chat, false), "/v1/chat/completions", body},
		{"vllm, no operation", vllmPages(), nil, job("", false), "/v1/chat/completions", body},
		{"vllm, stream", vllmPages(), nil, job(inference.Chat, true), "/v1/chat/completions",
			`{"stream_options":{"include_usage":true},` + body[1:]},
		{"vllm, completion", vllmPages(), nil, job(inference.Completion, false), "/v1/completions", body},
		{"ollama", ollamaPages(), nil, job(inference.Chat, false), "/v1/chat/completions",
			strings.Replace(body, llama8B, "llama3.1:8b", 1)},
		{"other, embedding", withoutEmbedding(map[string]page{"/v1/models": {200, `{"data":[{"id":"e"}]}`}}), nil,
			job(inference.Embedding, false), "/v1/embeddings", strings.Replace(body, llama8B, "e", 1)},
		{"runner", runnerPages(), nil, job(inference.Chat, false), "/llm",
			`{"messages":[{"role":"user","content":"hi"}],"model":"meta-llama/Meta-Llama-3.1-8B-Instruct","max_tokens":6,` +
				`"stream":false}`},
		{"runner, other name", map[string]page{"/health": {200, `{"status":"OK"}`}},
			func(o *backend.Options) { o.Served = "other" }, job(inference.Chat, false), "/llm",
			`{"messages":[{"role":"user","content":"hi"}],"model":"other","max_tokens":6,"stream":false}`},
		{"images", runnerPages(), func(o *backend.Options) { o.Pipeline = capability.TextToImage }, job("", false),
			"/text-to-image", body},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t, tt.pages)
			g := record(f, 200, "application/json", `{"data":[]}`)
			o := options(f.url)
			o.Token = core.NewSecret("hunter2")
			if tt.change != nil {
				tt.change(&o)
			}
			reply, err := newServer(t, o).Run(within(t), tt.job)
			if err != nil {
				t.Fatal(err)
			}
			defer reply.Body.Close()
			if g.path != tt.path || g.body != tt.body {
				t.Errorf("POST %s %s\nwant %s %s", g.path, g.body, tt.path, tt.body)
			}
			if h := g.header; h.Get("Authorization") != "Bearer hunter2" ||
				h.Get("Content-Type") != "application/json" ||
				h.Get("Accept-Encoding") != "identity" {
				t.Errorf("%v", h)
			}
			if id := g.header.Get("X-Request-Id"); (id == "r-1") == strings.HasPrefix(tt.name, "vllm") {
				t.Errorf("request id %q", id)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pages map[string]page
		op    inference.Operation
	}{
		"completion by a runner": {runnerPages(), inference.Completion},
		"embedding by a runner":  {runnerPages(), inference.Embedding},
		"embedding by vllm":      {vllmPages(), inference.Embedding}, "unheard of": {vllmPages(), "song"},
	} {
		j := chat(`{}`, false)
		j.Operation = tt.op
		_, err := newServer(t, options(newFake(t, tt.pages).url)).Run(within(t), j)
		if want := fmt.Sprintf("the model server does not offer %q", string(tt.op)); !errors.Is(err,
			fault.OperationUnsupported) || fault.Wire(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A busy runner's word when to come back is kept, within bounds.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"7": 7 * time.Second, "86400": 5 * time.Minute, "": 0, "-3": 0,
		"x": 0} {
		f := newFake(t, vllmPages())
		f.job = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", header)
			w.WriteHeader(http.StatusTooManyRequests)
		}
		delete(f.pages, "/v1/chat/completions")
		_, err := newServer(t, options(f.url)).Run(within(t), chat(`{"messages":[]}`, false))
		if after, _ := fault.RetryAfter(err); !errors.Is(err, fault.RunnerBusy) || after != want {
			t.Errorf("%q: %v, %v, want %v", header, err, after, want)
		}
	}
}

// TestAnotherServer puts another kind of server at a runner's address: the job that finds
// no path of the old one is sent to the new one's.
func TestAnotherServer(t *testing.T) {
	t.Parallel()
	f := newFake(t, runnerPages())
	s := newServer(t, options(f.url))
	if info, err := s.Probe(within(t)); err != nil || info.Kind != backend.Contract {
		t.Fatal(info, err)
	}
	delete(f.pages, "/health")
	f.set("/v1/models", page{200, `{"data":[{"id":"b"}]}`})
	f.set("/v1/chat/completions", page{200, `{"choices":[{"message":{"content":"hi"}}]}`})
	f.set("/llm", page{404, `{"detail":"Not Found"}`})
	reply, err := s.Run(within(t), chat(`{"messages":[]}`, false))
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if answer, err := io.ReadAll(reply.Body); err != nil || !strings.Contains(string(answer), "hi") {
		t.Errorf("%s, %v", answer, err)
	}
}

// Answers pass byte for byte.
func TestAnswers(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(vectors, "streams", "*.sse"))
	if err != nil || len(paths) < 10 {
		t.Fatal(len(paths), err)
	}
	f := newFake(t, vllmPages())
	s := newServer(t, options(f.url))
	for _, path := range append(paths, "x/chat.json") {
		stream := strings.HasSuffix(path, ".sse")
		name, contentType := "streams/"+filepath.Base(path), "text/event-stream"
		if !stream {
			name, contentType = "llamacpp/chat.json", "application/json"
		}
		want := vector(t, name)
		record(f, 200, contentType, want)
		reply, err := s.Run(within(t), chat(`{}`, stream))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(reply.Body)
		if err != nil || string(text) != want || reply.Status != 200 || reply.ContentType != contentType {
			t.Errorf("%s: %d bytes of %d, %v, %+v", name, len(text), len(want), err, reply)
		}
		if err := reply.Body.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestClientMistakes(t *testing.T) {
	t.Parallel()
	f := newFake(t, llamaPages())
	s := newServer(t, options(f.url))
	for status, body := range map[int]string{
		400: vector(t, "llamacpp/toolong.json"), 413: `{"detail":{"msg":"too large"}}`, 415: "",
		422: vector(t, "runner/invalid.json"),
	} {
		for _, stream := range []bool{false, true} {
			record(f, status, "application/json", body)
			reply, err := s.Run(within(t), chat(`{}`, stream))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(reply.Body)
			if err != nil || string(text) != body || reply.Status != status || reply.Length != int64(len(body)) ||
				reply.ContentType != "application/json" {
				t.Errorf("%d: %q, %v, %+v", status, text, err, reply)
			}
		}
	}
}

// TestUnparsedRequests: llama.cpp reports that it cannot read messages or tools as a failure of its own.
func TestUnparsedRequests(t *testing.T) {
	t.Parallel()
	f := newFake(t, llamaPages())
	s := newServer(t, options(f.url))
	for _, text := range []string{
		"Failed to parse messages: [json.exception.out_of_range.403] key 'text' not found",
		"Failed to parse tools: Expected 'tools' to be an array, got 5",
	} {
		record(f, 500, "application/json", `{"error":{"code":500,"message":"`+text+`","type":"server_error"}}`)
		reply, err := s.Run(within(t), chat(`{}`, false))
		if err != nil {
			t.Fatal(err)
		}
		want := `{"error":{"code":400,"message":"` + text + `","type":"invalid_request_error"}}`
		got, err := io.ReadAll(reply.Body)
		if err != nil || reply.Status != 400 || string(got) != want || reply.Length != int64(len(want)) {
			t.Errorf("%d %q, %v; want 400 %q", reply.Status, got, err, want)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		status int
		body   string
		code   fault.Code
		wire   string
	}{
		{500, "runner/oom.json", fault.RunnerOutOfMemory, "the model server returned 500: GPU out of memory."},
		{500, `{"error":{"message":"CUDA error: out of memory"}}`, fault.RunnerOutOfMemory,
			"the model server returned 500: CUDA error: out of memory"},
		{500, `{"error":"model requires more system memory (9 GiB) than is available"}`, fault.RunnerOutOfMemory,
			"the model server returned 500: model requires more system memory (9 GiB) than is available"},
		{500, `{"detail":{"msg":"Internal server error during LLM processing."}}`, fault.RunnerFailed,
			"the model server returned 500: Internal server error during LLM processing."},
		{502, "<html>", fault.RunnerFailed, "the model server returned 502"},
		{409, "", fault.RunnerFailed, "the model server returned 409"},
		{400, "runner/mismatch.json", fault.RunnerModelMissing,
			"the model server returned 400: pipeline configured with a but called with b"},
		{
			404,
			"vllm/no-model.json",
			fault.RunnerModelMissing,
			"the model server returned 404: The model `x` does not exist.",
		},
		{404, "llamacpp/nothing.json", fault.OperationUnsupported, "the model server returned 404: File Not Found"},
		{501, "llamacpp/embed-refused.json", fault.OperationUnsupported,
			"the model server returned 501: This server does not support embeddings. Start it with `--embeddings`"},
		{401, `{"detail":{"msg":"Invalid bearer token"}}`, fault.RunnerAuth,
			"the model server returned 401: Invalid bearer token"},
		{403, "", fault.RunnerAuth, "the model server returned 403"},
		{429, "", fault.RunnerBusy, "the model server returned 429"},
		{
			503,
			`{"error":{"message":"Loading model"}}`,
			fault.RunnerBusy,
			"the model server returned 503: Loading model",
		},
		{302, "", fault.RunnerGarbled, "the model server returned 302"},
	}
	f := newFake(t, llamaPages())
	s := newServer(t, options(f.url))
	for _, tt := range tests {
		body := tt.body
		if strings.HasSuffix(body, ".json") {
			body = vector(t, body)
		}
		record(f, tt.status, "application/json", body)
		_, err := s.Run(within(t), chat(`{}`, true))
		if !errors.Is(err, tt.code) || fault.Wire(err) != tt.wire {
			t.Errorf("%d %s: %v, %q", tt.status, tt.body, err, fault.Wire(err))
		}
	}
}

func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	f := newFake(t, llamaPages())
	record(f, 200, "text/event-stream", strings.Repeat("data: x\n\n", 1000))
	o := options(f.url)
	o.MaxAnswer = 1000
	for _, stream := range []bool{false, true} {
		reply, err := newServer(t, o).Run(within(t), chat(`{}`, stream))
		if err == nil {
			_, err = io.ReadAll(reply.Body)
			_ = reply.Body.Close()
		}
		if !errors.Is(err, fault.RunnerGarbled) {
			t.Error(err)
		}
	}
}

func TestTokenHidesItself(t *testing.T) {
	t.Parallel()
	o := backend.Options{Token: core.NewSecret("hunter2")}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "token", o.Token, "options", o)
	text, err := json.Marshal(struct{ T core.Secret }{o.Token})
	if err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprintf("%v %+v %#v %s %s %q", o, o, o, log.String(), text, o.Token)
	if strings.Contains(all, "hunter2") || !strings.Contains(all, "***") {
		t.Error(all)
	}
}

// TestContainersAreNamedSo: the word is for runners that this node started.
func TestContainersAreNamedSo(t *testing.T) {
	t.Parallel()
	o := options("http://127.0.0.1:1")
	for container, want := range map[bool]string{
		true:  "LLM container cannot be reached: connection refused",
		false: "the model server cannot be reached: connection refused",
	} {
		o.Container = container
		_, err := newServer(t, o).Probe(t.Context())
		if _, text := fault.Public(err); text != want {
			t.Errorf("container %v: %q, want %q", container, text, want)
		}
	}
}

func TestRunGivenUp(t *testing.T) {
	t.Parallel()
	f := newFake(t, llamaPages())
	ctx, cancel := context.WithCancel(context.Background())
	arrived, left := make(chan struct{}), make(chan struct{})
	f.job = func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(arrived)
		<-r.Context().Done()
		close(left)
	}
	s := newServer(t, options(f.url))
	failed := make(chan error, 1)
	go func() {
		_, err := s.Run(ctx, chat(`{}`, false))
		failed <- err
	}()
	await(t, arrived, "the request at the runner")
	cancel()
	if err := <-failed; fault.CodeOf(err) != fault.Canceled {
		t.Error(err)
	}
	await(t, left, "the runner to be told")
}

// TestFormsAreWrittenAnew: nothing of the client's content type reaches a model server, and of a
// form the fields and the file alone.
func TestFormsAreWrittenAnew(t *testing.T) {
	t.Parallel()
	run := func(id capability.ID, contentType, body string) *got {
		f := newFake(t, runnerPages())
		g := record(f, 200, "application/json", `{"text":"x"}`)
		o := options(f.url)
		o.Pipeline = id
		reply, err := newServer(t, o).Run(within(t), &inference.Job{
			Model: inference.Model{Capability: id, ID: llama8B}, Body: []byte(body), ContentType: contentType,
		})
		if err != nil {
			t.Fatal(err)
		}
		_ = reply.Body.Close()
		return g
	}
	text := run(capability.TextToImage, "application/json; charset=utf-7", `{"prompt":"x"}`)
	if kind := text.header.Get("Content-Type"); kind != "application/json" || text.body != `{"prompt":"x"}` {
		t.Errorf("%s %q", kind, text.body)
	}
	form := "--b\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"; x=y\r\n" +
		"X-Odd: 1\r\n\r\nPNG\r\n--b--\r\n"
	g := run(capability.ImageToText, "multipart/form-data; boundary=b; charset=utf-7", "\n--b\r\nhidden\r\n"+form)
	kind := g.header.Get("Content-Type")
	b, found := strings.CutPrefix(kind, "multipart/form-data; boundary=")
	want := "--" + b + "\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\nPNG\r\n--" + b + "--\r\n"
	if !found || g.body != want || g.header.Get("Content-Length") != strconv.Itoa(len(want)) {
		t.Errorf("%s %q, want %q", kind, g.body, want)
	}
}
