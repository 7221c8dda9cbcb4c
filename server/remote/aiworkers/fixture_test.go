package aiworkers_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/tlscert"
)

const secret = "a secret"

// bench is a pool behind a listener, and a client of it.
type bench struct {
	*testing.T
	pool *aiworkers.Pool
	addr string
	http *http.Client
}

func newBench(t *testing.T, change func(*aiworkers.Options)) *bench {
	t.Helper()
	opt := aiworkers.Options{
		Secrets: remote.NewSecrets(core.NewSecret("the old one"),
			core.NewSecret(secret)), MinVersion: "0.9.1", Node: "tutti/test",
		ServiceURI: "https://unused.example", Random: rand.Reader, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(&opt)
	}
	p, err := aiworkers.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	p.Routes(mux)
	b := &bench{T: t, pool: p, addr: listen(t, p, mux)}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = p.Run(ctx, func() {}) // registrations that are held back end
	})
	tr := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	b.http = &http.Client{Transport: tr}
	t.Cleanup(tr.CloseIdleConnections)
	return b
}

func listen(t *testing.T, p *aiworkers.Pool, mux *http.ServeMux) string {
	t.Helper()
	cert, err := tlscert.Open(tlscert.Options{Host: "localhost", Now: time.Now, Rand: rand.Reader,
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	p.Register(g)
	streams := remote.Streams(g)
	srv := &http.Server{
		TLSConfig: cert.Config(), ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second,
		ConnContext: remote.ConnContext,
		ErrorLog:    slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
				streams.ServeHTTP(w, r)
				return
			}
			mux.ServeHTTP(w, r)
		}),
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = srv.ServeTLS(l, "", ""); close(ended) }()
	t.Cleanup(func() { srv.Close(); g.Stop(); <-ended })
	return l.Addr().String()
}

// hand is a worker of the existing network, as its wire has it.
type hand struct {
	*bench
	stream grpc.ServerStreamingClient[rpc.NotifyAIJob]
	close  func()
}

// offer is a registration of the network with one model.
func offer(model inference.Model, slots uint32, warm bool) *rpc.RegisterAIWorkerRequest {
	c := capability.Offer(capability.Default().With(model.Capability), "0.9.1")
	c.Constraints.PerCapability = map[capability.ID]capability.Models{model.Capability: {model.ID: {Warm: warm,
		Capacity: slots, RunnerVersion: "0.1.0"}}}
	return &rpc.RegisterAIWorkerRequest{Secret: secret, Capabilities: rpc.FromCapabilities(c)}
}

func (b *bench) register(req *rpc.RegisterAIWorkerRequest) *hand {
	b.Helper()
	conn, err := grpc.NewClient(b.addr,
		grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{InsecureSkipVerify: true})))
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	stream, err := rpc.NewAIWorkerClient(conn).RegisterAIWorker(ctx, req)
	if err != nil {
		b.Fatal(err)
	}
	h := &hand{bench: b, stream: stream, close: func() { cancel(); conn.Close() }}
	b.Cleanup(h.close)
	return h
}

// next is the next job.
func (h *hand) next() *rpc.NotifyAIJob {
	h.Helper()
	n, err := h.stream.Recv()
	if err != nil {
		h.Error(err)
		return new(rpc.NotifyAIJob)
	}
	return n
}

// request is what a job asks for.
func (h *hand) request(n *rpc.NotifyAIJob) (input string, fields map[string]any) {
	h.Helper()
	var data struct {
		InputURL *string        `json:"input_url"`
		Request  map[string]any `json:"request"`
	}
	if err := json.Unmarshal(n.GetAIJobData().GetRequestData(), &data); err != nil || data.InputURL == nil {
		h.Errorf("%s: %v", n.GetAIJobData().GetRequestData(), err)
		return "", nil
	}
	return *data.InputURL, data.Request
}

// post sends a result and returns what was said to it.
func (b *bench) post(task int64, kind string, body io.Reader, change func(http.Header)) (int, string) {
	b.Helper()
	r, err := http.NewRequest(http.MethodPost, "https://"+b.addr+"/aiResults", body)
	if err != nil {
		b.Error(err)
		return 0, ""
	}
	r.Header.Set("Authorization", "Livepeer-AI-Worker-1.0")
	r.Header.Set("Credentials", secret)
	r.Header.Set("TaskId", strconv.FormatInt(task, 10))
	r.Header.Set("Pipeline", "llm")
	r.Header.Set("Content-Type", kind)
	if change != nil {
		change(r.Header)
	}
	res, err := b.http.Do(r)
	if err != nil {
		b.Error(err)
		return 0, ""
	}
	defer res.Body.Close()
	text, _ := io.ReadAll(res.Body)
	return res.StatusCode, strings.TrimSpace(string(text))
}

// part is a part of a result.
type part struct{ header, body string }

// mixed is a multipart result, written by hand.
func mixed(parts ...part) (kind string, body *bytes.Buffer) {
	b := new(bytes.Buffer)
	for _, p := range parts {
		b.WriteString("--0123456789abcdef0123\r\n" + p.header + "\r\n\r\n" + p.body + "\r\n")
	}
	b.WriteString("--0123456789abcdef0123--\r\n")
	return "multipart/mixed; boundary=0123456789abcdef0123", b
}

func llm(id string) inference.Model { return inference.Model{Capability: capability.LLM, ID: id} }

func chat(model inference.Model, stream bool) *inference.Job {
	text := `{"model":"` + model.ID +
		`","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":16,"seed":7,` +
		`"stream":` + strconv.FormatBool(stream) + `}`
	return &inference.Job{Model: model, Operation: inference.Chat, Body: []byte(text), ContentType: "application/json",
		Stream: stream, RequestID: "req-1"}
}

// outcome is how a job ended.
type outcome struct {
	reply *inference.Reply
	text  string
	err   error
}

// start does a job alongside the test.
func (b *bench) start(job *inference.Job) <-chan outcome {
	b.Helper()
	slot, err := b.pool.Reserve(b.Context(), job.Model, "gateway")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan outcome, 1)
	go func() {
		defer slot.Release()
		reply, err := slot.Run(b.Context(), job)
		if err != nil {
			done <- outcome{err: err}
			return
		}
		defer reply.Body.Close()
		text, err := io.ReadAll(reply.Body)
		done <- outcome{reply, string(text), err}
	}()
	return done
}

func (b *bench) until(what string, ok func() bool) {
	b.Helper()
	deadline, tick := time.NewTimer(15*time.Second), time.NewTicker(time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline.C:
			b.Fatalf("never: %s", what)
		}
	}
}

// has waits for a model with so many slots.
func (b *bench) has(model inference.Model, slots int) {
	b.Helper()
	b.until("the model has its slots", func() bool {
		for _, s := range b.pool.Models() {
			if s.Model == model {
				return s.Capacity == slots
			}
		}
		return slots == 0
	})
}
