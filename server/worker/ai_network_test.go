package worker_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/rpc"
)

// fakeAIOrchestrator is an orchestrator of the existing network, scripted after its wire format.
type fakeAIOrchestrator struct {
	rpc.UnimplementedAIWorkerServer
	*testing.T
	addr       string
	registered chan *rpc.RegisterAIWorkerRequest
	jobs       chan *rpc.NotifyAIJob
	results    chan *result
}

// result is what a worker sent.
type result struct {
	header http.Header
	body   string
	// first is what came before the rest of a stream.
	first string
	err   error
}

func newFakeAIOrchestrator(t *testing.T) *fakeAIOrchestrator {
	b := &fakeAIOrchestrator{T: t, registered: make(chan *rpc.RegisterAIWorkerRequest, 8),
		jobs:    make(chan *rpc.NotifyAIJob),
		results: make(chan *result, 8)}
	mux := http.NewServeMux()
	mux.HandleFunc("/aiResults", b.result)
	mux.HandleFunc("/stream/input.png", func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "\x89PNG\r\n\x1a\nrest")
	})
	b.addr = serveTLS(t, func(s *grpc.Server) { rpc.RegisterAIWorkerServer(s, b) }, mux)
	return b
}

func (b *fakeAIOrchestrator) RegisterAIWorker(
	req *rpc.RegisterAIWorkerRequest, stream grpc.ServerStreamingServer[rpc.NotifyAIJob],
) error {
	b.registered <- req
	for {
		select {
		case n := <-b.jobs:
			if err := stream.Send(n); err != nil {
				return err
			}
		case <-stream.Context().Done():
			return nil
		}
	}
}

func (b *fakeAIOrchestrator) result(w http.ResponseWriter, r *http.Request) {
	head := make([]byte, 64<<10)
	n, err := r.Body.Read(head)
	rest := []byte(nil)
	if err == nil {
		rest, err = io.ReadAll(r.Body)
	}
	if err == io.EOF {
		err = nil
	}
	b.results <- &result{header: r.Header, first: string(head[:n]), body: string(head[:n]) + string(rest), err: err}
	_, _ = io.WriteString(w, "OK")
}

func (b *fakeAIOrchestrator) ask(id int64, pipe, data string) {
	b.Helper()
	select {
	case b.jobs <- &rpc.NotifyAIJob{TaskId: id, AIJobData: &rpc.AIJobData{Pipeline: pipe, RequestData: []byte(data)}}:
	case <-time.After(30 * time.Second):
		b.Fatal("no worker takes the job")
	}
}

func (b *fakeAIOrchestrator) got() *result {
	b.Helper()
	select {
	case r := <-b.results:
		if h := r.header; h.Get("Authorization") != "Livepeer-AI-Worker-1.0" || h.Get("Credentials") != aiSecret ||
			h.Get("TaskId") == "" || h.Get("Pipeline") == "" {
			b.Errorf("%v", h)
		}
		return r
	case <-time.After(20 * time.Second):
		b.Fatal("no result")
		return nil
	}
}

// parts reads a multipart result.
func (r *result) parts(t *testing.T) (files map[string][2]string, answer string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil || kind != "multipart/mixed" {
		t.Fatalf("%v %v: %s", r.header, err, r.body)
	}
	files = make(map[string][2]string)
	in := multipart.NewReader(strings.NewReader(r.body), params["boundary"])
	for {
		p, err := in.NextPart()
		if err == io.EOF {
			return files, answer
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(p)
		switch kind := p.Header.Get("Content-Type"); kind {
		case "application/json":
			answer = string(text)
		default:
			if answer != "" {
				t.Error("a file after the JSON")
			}
			files[p.FileName()] = [2]string{kind, string(text)}
		}
	}
}

func networkRig(t *testing.T, m *models) *fakeAIOrchestrator {
	t.Helper()
	b := newFakeAIOrchestrator(t)
	newRig(t, "rig9", b.addr, m)
	select {
	case <-b.registered:
	case <-time.After(30 * time.Second):
		t.Fatal("no registration")
	}
	return b
}

const networkAnswer = `{"id":"a","model":"m","created":1,"usage":{"prompt_tokens":1,"completion_tokens":1,` +
	`"total_tokens":2},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"x"}}]}`

func TestRegistrationAtTheNetwork(t *testing.T) {
	b := newFakeAIOrchestrator(t)
	newRig(t, "rig9", b.addr, newModels(llm("m"), 3))
	req := <-b.registered
	c := req.GetCapabilities().Capability()
	m := c.Constraints.PerCapability[capability.LLM]["m"]
	if req.GetSecret() != aiSecret || c.Version != "0.9.1" || !capability.Default().With(capability.LLM).In(c.Bits) ||
		!m.Warm || m.Capacity != 3 || m.RunnerVersion != "0.1.2" || c.Capacities[capability.LLM] != 3 {
		t.Errorf("%+v", c)
	}
}

func TestNetworkChat(t *testing.T) {
	m := newModels(llm("m"), 1)
	m.run = says(200, "application/json", networkAnswer)
	b := networkRig(t, m)
	b.ask(5, "llm", `{"input_url":"","request":{"messages":[{"role":"user","content":"hi"}],"model":"m","max_tokens":9,`+
		`"stream":false}}`)
	r := b.got()
	files, answer := r.parts(t)
	if len(files) != 0 || answer != networkAnswer || r.header.Get("TaskId") != "5" || r.header.Get("Pipeline") != "llm" {
		t.Errorf("%v %s %v", files, answer, r.header)
	}
	if job := m.seen()[0]; job.Operation != inference.Chat || job.MaxTokens != 9 || job.Stream {
		t.Errorf("%+v", job)
	}
}

func TestNetworkStream(t *testing.T) {
	m, w := newModels(llm("m"), 1), newWriter()
	m.run = w.run
	b := networkRig(t, m)
	b.ask(6, "llm", `{"input_url":"","request":{"messages":[{"role":"user","content":"hi"}],"model":"m","max_tokens":9,`+
		`"stream":true}}`)
	<-w.begun
	for _, text := range []string{
		`data: {"id":"a","model":"m","created":1,"choices":[{"index":0,"delta":{"content":"x"}}]}`,
		`data: {"id":"a","model":"m","created":1,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
		`data: {"id":"a","model":"m","created":1,"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,` +
			`"total_tokens":2}}`,
		`data: [DONE]`,
	} {
		w.say(t, text+"\n\n")
	}
	w.w.Close()
	r := b.got()
	if r.header.Get("Content-Type") != "text/event-stream" || r.err != nil {
		t.Errorf("%v %v", r.header, r.err)
	}
	events := strings.Split(strings.TrimSuffix(r.body, "\n\n"), "\n\n")
	for i, e := range events {
		var chunk struct {
			Choices []struct {
				FinishReason *string `json:"finish_reason"`
			}
		}
		text, ok := strings.CutPrefix(e, "data: ")
		if err := json.Unmarshal([]byte(text), &chunk); err != nil || !ok || len(chunk.Choices) != 1 {
			t.Errorf("event %d is %q", i, e)
			continue
		}
		f := chunk.Choices[0].FinishReason
		if last := i == len(events)-1; last != (f != nil && *f != "") {
			t.Errorf("event %d is %q", i, e)
		}
	}
}

// A stream that fails ends with an event that says so, and its upload with it: an
// orchestrator of the network waits for the end of the upload, and takes one that is
// reset for a lost worker.
func TestNetworkStreamFails(t *testing.T) {
	const first = `data: {"id":"a","model":"m","created":1,"choices":[{"index":0,"delta":{"content":"x"}}]}` + "\n\n"
	for name, ends := range map[string]func(*writer){
		"the runner dies": func(w *writer) { w.w.CloseWithError(io.ErrUnexpectedEOF) },
		"the runner says so and stays open": func(w *writer) {
			_,
				_ = io.WriteString(w.w, "data: {\"error\":\"boom\"}\n\n")
		},
		"the runner is done and stays open":  func(w *writer) { _, _ = io.WriteString(w.w, "data: [DONE]\n\n") },
		"the runner ends without any reason": func(w *writer) { w.w.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			m, w := newModels(llm("m"), 1), newWriter()
			m.run = w.run
			b := networkRig(t, m)
			b.ask(6, "llm", `{"input_url":"","request":{"messages":[{"role":"user","content":"hi"}],"model":"m",`+
				`"max_tokens":9,"stream":true}}`)
			<-w.begun
			w.say(t, first)
			go ends(w)
			r := b.got()
			events := strings.Split(strings.TrimSuffix(r.body, "\n\n"), "\n\n")
			last := events[len(events)-1]
			if r.err != nil || len(events) != 2 || !strings.Contains(last,
				`"finish_reason":"`) || strings.Contains(last, `"finish_reason":""`) {
				t.Errorf("%v: %q", r.err, r.body)
			}
			aiUntil(t, "the slot is free", func() bool { return m.Models()[0].InUse == 0 })
			select {
			case again := <-b.results:
				t.Errorf("a second result: %v %q", again.header, again.body)
			default:
			}
		})
	}
}

func TestNetworkImage(t *testing.T) {
	model := inference.Model{Capability: capability.ImageToImage, ID: "m"}
	m := newModels(model, 1)
	m.run = says(200, "application/json",
		`{"images":[{"url":"data:image/png;`+
			`base64,`+base64.StdEncoding.EncodeToString([]byte("made"))+`","seed":7,"nsfw":false}]}`)
	b := networkRig(t, m)
	b.ask(7, "image-to-image",
		`{"input_url":"https:/`+
			`/`+b.addr+`/stream/input.png","request":{"image":null,"prompt":"p","model_id":"m","strength":0.5,`+
			`"safety_check":true,"seed":42,"loras":null}}`)
	files, answer := b.got().parts(t)
	var a struct{ Images []struct{ URL string } }
	if err := json.Unmarshal([]byte(answer), &a); err != nil || len(a.Images) != 1 ||
		files[a.Images[0].URL] != [2]string{"image/png", "made"} {
		t.Errorf("%s %v", answer, files)
	}
	job := m.seen()[0]
	fields := map[string]string{}
	if err := pipeline.Parts(job.ContentType, job.Body,
		func(name, _ string, value []byte) error { fields[name] = string(value); return nil }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"image": "\x89PNG\r\n\x1a\nrest", "prompt": "p", "strength": "0.5",
		"safety_check": "true", "seed": "42"} {
		if fields[name] != want {
			t.Errorf("%s is %q", name, fields[name])
		}
	}
	if _, there := fields["loras"]; there {
		t.Error("a null field was given")
	}
}

func TestNetworkErrors(t *testing.T) {
	const ok = `{"input_url":"","request":{"messages":[{"role":"user","content":"hi"}],"model":"m","max_tokens":9}}`
	for name, row := range map[string]struct{ pipe, data, want string }{
		"pipeline":   {"cooking", ok, "returned 400"},
		"no JSON":    {"llm", "{", "returned 400"},
		"no request": {"llm", `{"input_url":""}`, "returned 400"},
		"no model":   {"llm", `{"request":{"messages":[{"role":"user","content":"hi"}]}}`, "returned 400"},
		"other":      {"llm", strings.Replace(ok, `"m"`, `"n"`, 1), "no workers can process job requested"},
		"input": {"image-to-image",
			`{"input_url":"https://127.0.0.1:1/x","request":{"image":null,"prompt":"p",` +
				`"model_id":"m"}}`, "could not fetch the job's input"},
		"runner": {"llm", ok, "LLM container returned 422: too long"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newModels(llm("m"), 1)
			m.run = says(422, "application/json", `{"detail":"too long"}`)
			b := networkRig(t, m)
			b.ask(1, row.pipe, row.data)
			r := b.got0()
			if r.header.Get("Content-Type") != "livepeer/ai-worker-error" || !strings.Contains(r.body, row.want) {
				t.Errorf("%v %q", r.header, r.body)
			}
		})
	}
}

// got0 is got for jobs whose pipeline is none.
func (b *fakeAIOrchestrator) got0() *result {
	b.Helper()
	select {
	case r := <-b.results:
		return r
	case <-time.After(20 * time.Second):
		b.Fatal("no result")
		return nil
	}
}

func TestNetworkCapacityIsUsedUp(t *testing.T) {
	m := newModels(llm("m"), 1)
	hold := make(chan struct{})
	m.run = func(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
		<-hold
		return says(200, "application/json", networkAnswer)(ctx, job)
	}
	b := networkRig(t, m)
	const data = `{"input_url":"","request":{"messages":[{"role":"user","content":"hi"}],"model":"m","max_tokens":9}}`
	b.ask(1, "llm", data)
	aiUntil(t, "the first runs", func() bool { return len(m.seen()) == 1 })
	b.ask(2, "llm", data)
	if r := b.got(); r.body != "no workers can process job requested" || r.header.Get("TaskId") != "2" {
		t.Errorf("%q", r.body)
	}
	close(hold)
	if _, answer := b.got().parts(t); answer != networkAnswer {
		t.Error(answer)
	}
}

func TestNetworkWorkerEndsAfterWrongSecret(t *testing.T) {
	_, addr := newPool(t)
	r := newRigWith(t, addr, "wrong")
	select {
	case err := <-r:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it goes on")
	}
}
