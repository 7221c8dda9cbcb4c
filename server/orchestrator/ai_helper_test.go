package orchestrator_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/coretest"
)

var llama = inference.Model{Capability: capability.LLM, ID: "meta-llama/Meta-Llama-3.1-8B-Instruct"}

// modelOf is a ready model of a pipeline.
func modelOf(id capability.ID) inference.ModelState {
	return inference.ModelState{Model: inference.Model{Capability: id, ID: "m"}, State: inference.Ready, Capacity: 2}
}

// figures is a Recorder that remembers.
type figures struct {
	inference.NopRecorder
	mu   sync.Mutex
	jobs []inference.JobStats
}

func (f *figures) JobDone(j *inference.JobStats) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.jobs = append(f.jobs, *j)
}

// last waits for the n-th job's figures.
func (f *figures) last(t testing.TB, n int) (out inference.JobStats) {
	t.Helper()
	eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		if len(f.jobs) < n {
			return false
		}
		out = f.jobs[n-1]
		return true
	})
	return out
}

// logs is a log that can be read while it is written.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// aiNode is a node with AI: its worker, figures and log.
type aiNode struct {
	*node
	worker *coretest.Worker
	done   *figures
	log    *logs
}

func newAINode(t testing.TB, change ...func(*setup)) *aiNode {
	t.Helper()
	states := []inference.ModelState{{Model: llama, State: inference.Ready, Warm: true, Capacity: 2}}
	for _, id := range []capability.ID{capability.TextToImage, capability.ImageToImage, capability.ImageToVideo,
		capability.Upscale,
		capability.AudioToText, capability.SegmentAnything2, capability.ImageToText, capability.TextToSpeech} {
		states = append(states, modelOf(id))
	}
	a := &aiNode{worker: coretest.NewWorker(states...), done: &figures{}, log: &logs{}}
	a.node = newNode(t, append([]func(*setup){func(s *setup) {
		s.rules.Worker, s.rules.Inference = a.worker, a.done
		s.rules.Log = slog.New(slog.NewTextHandler(a.log, nil))
	}}, change...)...)
	t.Cleanup(func() {
		a.stop()
		for _, v := range a.worker.Violations() {
			t.Error(v)
		}
		if a.worker.InUse() != 0 || a.worker.Waiting() != 0 || a.orch.Jobs() != 0 {
			t.Errorf("at the end %d slots are taken, %d wait, %d jobs", a.worker.InUse(), a.worker.Waiting(), a.orch.Jobs())
		}
	})
	return a
}

// free waits until no slot is taken any more.
func (a *aiNode) free() {
	a.t.Helper()
	eventually(a.t, func() bool { return a.worker.InUse() == 0 && a.orch.Jobs() == 0 })
}

// wanted is what a gateway of the existing network asks for.
func wanted(m inference.Model) capability.Capabilities {
	c := capability.Offer(capability.Default().With(m.Capability), "0.9.1")
	c.Constraints.PerCapability = map[capability.ID]capability.Models{m.Capability: {m.ID: {}}}
	return c
}

// credentials are the headers of a job.
func (a *aiNode) credentials(m inference.Model, tok *rpc.AuthToken) *rpc.SegData {
	return rpc.ToSegData(&rpc.SegmentMeta{
		Manifest: m.Manifest(), Hash: signature.Keccak256(nil), Token: tok, Capabilities: wanted(m),
	})
}

// post is a job as a gateway of the existing network sends it.
func (a *aiNode) job(m inference.Model, contentType string, body io.Reader) *http.Request {
	a.t.Helper()
	in, err := a.rpc.GetOrchestrator(context.Background(), &rpc.OrchestratorRequest{
		Address: make([]byte, 20), Capabilities: rpc.FromCapabilities(wanted(m)),
	})
	if err != nil {
		a.t.Fatal(err)
	}
	req, err := http.NewRequest(http.MethodPost, a.uri+"/"+m.Capability.Pipeline(), body)
	if err != nil {
		a.t.Fatal(err)
	}
	req.Header.Set("Livepeer-Segment", b64(a.credentials(m, in.GetAuthToken())))
	req.Header["Livepeer-Payment"] = []string{""}
	req.Header.Set("Authorization", "Livepeer-AI-Worker-1.0")
	req.Header.Set("Content-Type", contentType)
	return req
}

// chat is an llm job with further fields.
func (a *aiNode) chat(fields string) *http.Request {
	body := `{"model":"` + llama.ID + `","messages":[{"role":"user","content":"my secret prompt"}],` + fields + `}`
	return a.job(llama, "application/json", strings.NewReader(body))
}

// asOwn makes a request one of our own gateways'.
func asOwn(req *http.Request) *http.Request {
	req.Header.Set("Tutti-Node", "tutti/0.1.0")
	req.Header.Set("Tutti-Operation", "chat")
	return req
}

// says has the worker answer every job alike.
func (a *aiNode) says(status int, contentType, body string) {
	a.worker.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
		return &inference.Reply{Status: status, ContentType: contentType, Length: int64(len(body)),
			Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

// live is an answer that a test writes while it is read. Its context is the
// job's.
type live struct {
	ctx context.Context
	w   *io.PipeWriter
}

// streams has the worker answer with what the test writes.
func (a *aiNode) streams(contentType string) <-chan live {
	begun := make(chan live, 8)
	a.worker.Answer = func(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
		r, w := io.Pipe()
		// As the port has it: the end of ctx ends the answer.
		context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
		begun <- live{ctx, w}
		return &inference.Reply{Status: 200, ContentType: contentType, Length: -1, Body: r}, nil
	}
	return begun
}

func (l live) say(t testing.TB, text string) {
	t.Helper()
	if _, err := io.WriteString(l.w, text); err != nil {
		t.Error(err)
	}
}

// both runs a test over both versions of HTTP.
func both(t *testing.T, test func(t *testing.T, client func(*aiNode) *http.Client)) {
	t.Helper()
	for name, client := range map[string]func(*aiNode) *http.Client{
		"HTTP/1.1": func(a *aiNode) *http.Client { return a.h1 },
		"HTTP/2":   func(a *aiNode) *http.Client { return a.h2 },
	} {
		t.Run(name, func(t *testing.T) { t.Parallel(); test(t, client) })
	}
}

func segData(t testing.TB, header string) *rpc.SegData {
	t.Helper()
	m, err := rpc.DecodeSegData(header)
	if err != nil {
		t.Fatal(err)
	}
	return proto.Clone(m).(*rpc.SegData)
}
