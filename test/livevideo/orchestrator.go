package livevideo

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/gateway/live"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/trickle"
)

// Orchestrator is an orchestrator with a runner that sends back what it gets.
type Orchestrator struct {
	rpc.UnimplementedOrchestratorServer
	Hub  *trickle.Hub
	srv  *httptest.Server
	http *http.Client
	// Refuse is the error with which it refuses streams. Mute makes its runner send nothing. Both are set before the
	// first stream.
	Refuse error
	Mute   bool
	// Control may take a request to a control channel before the channel does, and reports whether it answered. It is
	// set before the first stream.
	Control func(http.ResponseWriter, *http.Request) bool
	// Input is Control for the segments of the input.
	Input func(http.ResponseWriter, *http.Request) bool
	// Elsewhere is the address of another server that its answers name for the channels.
	Elsewhere string

	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	starts   []map[string]any
	messages []string
	segments int
}

// New starts an orchestrator.
func New(t testing.TB) *Orchestrator {
	t.Helper()
	o := &Orchestrator{Hub: trickle.NewHub(trickle.Limits{}, time.Now),
		http: trickle.NewHTTPClient(&tls.Config{InsecureSkipVerify: true}, nil)}
	calls := grpc.NewServer()
	rpc.RegisterOrchestratorServer(calls, o)
	channels := o.Hub.Handler("/ai/trickle/")
	o.srv = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc"):
			calls.ServeHTTP(w, r)
		case r.URL.Path == "/live-video-to-video":
			o.serveStart(w, r)
		case o.Control != nil && strings.Contains(r.URL.Path, "-control/") && o.Control(w, r):
		case o.Input != nil && r.Method == http.MethodPost && !strings.Contains(r.URL.Path, "-") && o.Input(w, r):
		default:
			channels.ServeHTTP(w, r)
		}
	}))
	o.srv.EnableHTTP2 = true
	o.srv.StartTLS()
	o.ctx, o.cancel = context.WithCancel(context.Background())
	t.Cleanup(o.Kill)
	return o
}

// Kill ends the orchestrator and its connections.
func (o *Orchestrator) Kill() {
	o.cancel()
	o.mu.Lock()
	n := len(o.starts)
	o.mu.Unlock()
	for i := range n {
		for _, end := range []string{"", "-out", "-control", "-events"} {
			o.Hub.Close(fmt.Sprint("m", i, end))
		}
	}
	o.wg.Wait()
	o.srv.CloseClientConnections()
	o.srv.Close()
	o.http.CloseIdleConnections()
}

// URI returns its service address.
func (o *Orchestrator) URI() string { return o.srv.URL }

// Account returns the zero address.
func (o *Orchestrator) Account() string { return "0x0000000000000000000000000000000000000000" }

// Price returns nil: it is free.
func (o *Orchestrator) Price() *big.Rat { return nil }

// Start begins a stream with relative addresses of its channels.
func (o *Orchestrator) Start(_ context.Context, _ string, request []byte) ([]byte, live.Paid, error) {
	if o.Refuse != nil {
		return nil, nil, o.Refuse
	}
	var in map[string]any
	if err := json.Unmarshal(request, &in); err != nil {
		return nil, nil, err
	}
	o.mu.Lock()
	id := fmt.Sprint("m", len(o.starts))
	o.starts = append(o.starts, in)
	o.mu.Unlock()
	for end, mime := range map[string]string{"": "video/MP2T", "-out": "video/MP2T", "-control": "application/json",
		"-events": "application/json"} {
		o.Hub.Open("", id+end, mime)
	}
	base := o.srv.URL + "/ai/trickle/" + id
	o.wg.Go(func() { o.echo(base) })
	o.wg.Go(func() { o.listen(base + "-control") })
	_ = o.Hub.Channel(id + "-events").Put([]byte(`{"type":"status"}`))
	rel := o.Elsewhere + "/ai/trickle/" + id
	answer, err := json.Marshal(map[string]string{"publish_url": rel, "subscribe_url": rel + "-out",
		"control_url": rel + "-control", "events_url": rel + "-events", "manifest_id": id})
	return answer, nil, err
}

// echo runs the runner: it sends each segment back.
func (o *Orchestrator) echo(base string) {
	opt := trickle.ClientOptions{Client: o.http, FromStart: true}
	in, out := trickle.NewSubscriber(base, opt), trickle.NewPublisher(base+"-out", opt)
	defer out.Close(o.ctx)
	defer in.Close()
	for {
		s, err := in.Next(o.ctx)
		if err != nil {
			return
		}
		o.mu.Lock()
		o.segments++
		mute := o.Mute
		o.mu.Unlock()
		if !mute {
			if to, err := out.Next(o.ctx); err == nil {
				_, _ = io.Copy(to, s)
				to.Close()
			}
		}
		s.Close()
	}
}

func (o *Orchestrator) listen(url string) {
	sub := trickle.NewSubscriber(url, trickle.ClientOptions{Client: o.http, FromStart: true})
	defer sub.Close()
	for {
		s, err := sub.Next(o.ctx)
		if err != nil {
			return
		}
		data, _ := io.ReadAll(s)
		s.Close()
		o.mu.Lock()
		o.messages = append(o.messages, string(data))
		o.mu.Unlock()
	}
}

// Got reports whether a message came on a control channel.
func (o *Orchestrator) Got(text string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, m := range o.messages {
		if m == text {
			return true
		}
	}
	return false
}

// Starts returns the requests that began streams.
func (o *Orchestrator) Starts() []map[string]any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.starts)
}

// Segments returns how many segments arrived.
func (o *Orchestrator) Segments() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.segments
}

// GetOrchestrator offers the model "noop".
func (o *Orchestrator) GetOrchestrator(context.Context, *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo, error) {
	caps := capability.Offer(capability.Default().With(capability.LiveVideoToVideo), "0.9.1")
	caps.Constraints.PerCapability = map[capability.ID]capability.Models{
		capability.LiveVideoToVideo: {"noop": {Warm: true, Capacity: 4}},
	}
	return &rpc.OrchestratorInfo{
		Transcoder: o.srv.URL, Address: make([]byte, 20), Capabilities: rpc.FromCapabilities(caps),
		AuthToken: &rpc.AuthToken{Token: []byte("t"), SessionId: "s", Expiration: time.Now().Add(time.Hour).Unix()},
	}, nil
}

func (o *Orchestrator) serveStart(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	answer, _, err := o.Start(r.Context(), "", body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	_, _ = w.Write(answer)
}
