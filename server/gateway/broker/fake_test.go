package broker_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
)

// orchestrator is a fake that speaks the network's protocol over real TLS: gRPC
// discovery and AI jobs on one port. Jobs are answered with its name unless a test
// says otherwise.
type orchestrator struct {
	rpc.UnimplementedOrchestratorServer
	name   string
	uri    string
	server *httptest.Server
	quit   chan struct{}
	// down closes new connections before TLS.
	down atomic.Bool

	mu     sync.Mutex
	node   string
	models map[inference.Model]capability.Model
	offer  func(*rpc.OrchestratorInfo)
	// before is called for each discovery; its error is the answer.
	before func(context.Context, *rpc.OrchestratorRequest) error
	// handle answers a job; nil does it well. It is given the job's number from 1.
	handle   func(n int, w http.ResponseWriter, r *http.Request)
	key      byte // tokens of another key are invalid
	asked    int
	jobs     int
	finished int
	bodies   []string
	headers  []http.Header
}

// gate closes connections while the orchestrator is down.
type gate struct {
	net.Listener
	down *atomic.Bool
}

func (g gate) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil || !g.down.Load() {
			return c, err
		}
		c.Close()
	}
}

var llm = inference.Model{Capability: capability.LLM, ID: "org/model"}

// fake starts a tutti orchestrator that has llm loaded.
func fake(t testing.TB, name string) *orchestrator {
	t.Helper()
	o := &orchestrator{
		name: name, node: "tutti/9", quit: make(chan struct{}),
		models: map[inference.Model]capability.Model{llm: {Warm: true, Capacity: 8, RunnerVersion: "0.14.0"}},
	}
	calls := grpc.NewServer()
	rpc.RegisterOrchestratorServer(calls, o)
	o.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			calls.ServeHTTP(w, r)
			return
		}
		o.job(w, r)
	}))
	o.server.Listener = gate{o.server.Listener, &o.down}
	o.server.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
	o.server.EnableHTTP2 = true
	o.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	o.server.StartTLS()
	o.uri = o.server.URL
	t.Cleanup(func() {
		close(o.quit)
		o.server.CloseClientConnections()
		o.server.Close()
		calls.Stop()
	})
	return o
}

// cold says that the model is not loaded, so that others are asked first.
func (o *orchestrator) cold() *orchestrator {
	return o.with(func() { o.models[llm] = capability.Model{Capacity: 8, RunnerVersion: "0.14.0"} })
}

// foreign makes it one of the existing network.
func (o *orchestrator) foreign() *orchestrator { return o.with(func() { o.node = "" }) }

// does sets what becomes of jobs.
func (o *orchestrator) does(h func(n int, w http.ResponseWriter, r *http.Request)) *orchestrator {
	return o.with(func() { o.handle = h })
}

func (o *orchestrator) with(change func()) *orchestrator {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
	return o
}

// offers changes what discovery is answered.
func (o *orchestrator) offers(change func(*rpc.OrchestratorInfo)) *orchestrator {
	return o.with(func() { o.offer = change })
}

// beforeAnswer sets a function that runs before the answer to a discovery.
func (o *orchestrator) beforeAnswer(f func(context.Context, *rpc.OrchestratorRequest) error) *orchestrator {
	return o.with(func() { o.before = f })
}

// restart makes all tokens invalid.
func (o *orchestrator) restart() { o.with(func() { o.key++ }) }

func (o *orchestrator) counts() (asked, jobs int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked, o.jobs
}

// GetOrchestrator answers discovery.
func (o *orchestrator) GetOrchestrator(ctx context.Context, req *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo,
	error) {
	o.mu.Lock()
	o.asked++
	before := o.before
	o.mu.Unlock()
	if before != nil {
		if err := before(ctx, req); err != nil {
			return nil, err
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	set := capability.Default()
	per := map[capability.ID]capability.Models{}
	for m, state := range o.models {
		set = set.With(m.Capability)
		if per[m.Capability] == nil {
			per[m.Capability] = capability.Models{}
		}
		per[m.Capability][m.ID] = state
	}
	caps := capability.Offer(set, "0.9.1")
	caps.Constraints.PerCapability = per
	info := &rpc.OrchestratorInfo{
		Transcoder: o.uri, Address: make([]byte, 20), Node: o.node, Capabilities: rpc.FromCapabilities(caps),
		AuthToken: &rpc.AuthToken{
			Token: []byte{o.key}, SessionId: fmt.Sprintf("%08x", o.asked), Expiration: time.Now().Add(30 * time.Minute).Unix(),
		},
	}
	if req.GetCapabilities().GetConstraints() == nil {
		return nil, errors.New("a request without constraints")
	}
	if o.offer != nil {
		o.offer(info)
		if info.GetTranscoder() == capped {
			return nil, errors.New("OrchestratorCapped")
		}
	}
	return info, nil
}

// capped as an address makes discovery answer that there is no capacity.
const capped = "capped"

func (o *orchestrator) job(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	seg, err := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
	if err != nil {
		http.Error(w, "ErrorSegEncoding", http.StatusForbidden)
		return
	}
	o.mu.Lock()
	if token := seg.GetAuthToken().GetToken(); len(token) != 1 || token[0] != o.key {
		o.mu.Unlock()
		refuse(w, http.StatusForbidden, "InvalidAuthToken", "invalid auth token")
		return
	}
	o.jobs++
	n, handle := o.jobs, o.handle
	o.bodies = append(o.bodies, string(body))
	o.headers = append(o.headers, r.Header)
	o.mu.Unlock()
	defer o.with(func() { o.finished++ })
	if handle == nil {
		answer(w, o.name)
		return
	}
	handle(n, w, r)
}

// answer is a good one.
func answer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, "{%q:1}", text)
}

func refuse(w http.ResponseWriter, status int, code, text string) {
	if code != "" {
		w.Header().Set("Tutti-Code", code)
	}
	http.Error(w, text, status)
}

// Ways to fail.
func reset(int, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func status(code int, text string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { refuse(w, code, "", text) }
}

func coded(httpStatus int, code, text string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) { refuse(w, httpStatus, code, text) }
}
