package e2e

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/pipelines"
)

// foreignOrchestrator is an orchestrator of the existing network as gateways see it.
// It reads chats in the network's seven fields and no other form, and answers as
// that network does: running usage, no [DONE].
type foreignOrchestrator struct {
	rpc.UnimplementedOrchestratorServer
	t      *testing.T
	server *httptest.Server
	addr   string

	mu     sync.Mutex // covers what follows
	models map[inference.Model]bool
	// change, when set, changes an offer; does handles jobs instead of answering.
	change func(n int, info *rpc.OrchestratorInfo)
	does   func(n int, w http.ResponseWriter, r *http.Request) bool
	asked  int
	jobs   []foreignRequest
	files  map[string][]byte
}

// foreignRequest is one job that came.
type foreignRequest struct {
	Path    string
	Body    []byte
	Header  http.Header
	Segment *rpc.SegData
}

// newForeignOrchestrator starts one that has models, each warm or not.
func newForeignOrchestrator(t *testing.T, models map[inference.Model]bool) *foreignOrchestrator {
	t.Helper()
	o := &foreignOrchestrator{t: t, models: models, files: make(map[string][]byte)}
	calls := grpc.NewServer()
	rpc.RegisterOrchestratorServer(calls, o)
	o.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			calls.ServeHTTP(w, r)
			return
		}
		o.serve(w, r)
	}))
	o.server.TLS = &tls.Config{NextProtos: []string{"h2", "http/1.1"}}
	o.server.EnableHTTP2 = true
	o.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	o.server.StartTLS()
	o.addr = o.server.Listener.Addr().String()
	t.Cleanup(func() {
		o.server.CloseClientConnections()
		o.server.Close()
		calls.Stop()
	})
	return o
}

// with changes it.
func (o *foreignOrchestrator) with(change func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change()
}

// handles has jobs handled by a function that reports whether it has answered. n
// counts jobs from 1.
func (o *foreignOrchestrator) handles(does func(n int, w http.ResponseWriter, r *http.Request) bool) {
	o.with(func() { o.does, o.jobs = does, nil })
}

// refuses has jobs answered with a status and text, the first few or all.
func (o *foreignOrchestrator) refuses(times, status int, text string) {
	o.handles(func(n int, w http.ResponseWriter, _ *http.Request) bool {
		if n > times {
			return false
		}
		http.Error(w, text, status)
		return true
	})
}

// always is more often than any gateway tries.
const always = 1 << 20

// counts is how often its terms were asked for and how many jobs came since handles.
func (o *foreignOrchestrator) counts() (asked, jobs int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked, len(o.jobs)
}

// last is the last job.
func (o *foreignOrchestrator) last() foreignRequest {
	o.t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.jobs) == 0 {
		o.t.Fatal("no job came")
	}
	return o.jobs[len(o.jobs)-1]
}

// GetOrchestrator answers with terms. It has no field "node".
func (o *foreignOrchestrator) GetOrchestrator(_ context.Context, req *rpc.OrchestratorRequest) (*rpc.OrchestratorInfo,
	error) {
	if len(req.GetAddress()) != 20 || req.GetCapabilities().GetConstraints() == nil {
		return nil, errors.New("Invalid orchestrator request: no address or no constraints")
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	set := capability.Default()
	per := map[capability.ID]capability.Models{}
	for m, warm := range o.models {
		set = set.With(m.Capability)
		if per[m.Capability] == nil {
			per[m.Capability] = capability.Models{}
		}
		per[m.Capability][m.ID] = capability.Model{Warm: warm, Capacity: 1}
	}
	offer := capability.Offer(set, "0.8.9")
	offer.Constraints.PerCapability = per
	info := &rpc.OrchestratorInfo{
		Transcoder: o.server.URL, Address: make([]byte, 20), Capabilities: rpc.FromCapabilities(offer),
		AuthToken: &rpc.AuthToken{
			Token: fmt.Appendf(nil, "token %d", o.asked), SessionId: fmt.Sprintf("%08x", o.asked),
			Expiration: time.Now().Add(30 * time.Minute).Unix(),
		},
	}
	if o.change != nil {
		o.change(o.asked, info)
	}
	return info, nil
}

// serve takes jobs and gives out their results.
func (o *foreignOrchestrator) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		o.mu.Lock()
		data, ok := o.files[r.URL.Path]
		o.mu.Unlock()
		if !ok {
			http.Error(w, "ErrNotFound", http.StatusNotFound)
			return
		}
		_, _ = w.Write(data)
		return
	}
	body, err := io.ReadAll(r.Body)
	seg, segErr := rpc.DecodeSegData(r.Header.Get("Livepeer-Segment"))
	if err = errors.Join(err, segErr); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	o.mu.Lock()
	o.jobs = append(o.jobs, foreignRequest{r.URL.Path, body, r.Header.Clone(), seg})
	n, does := len(o.jobs), o.does
	o.mu.Unlock()
	if does != nil && does(n, w, r) {
		return
	}
	if r.URL.Path != "/llm" {
		o.media(w, r)
		return
	}
	q, err := pipelines.ReadLLM(body)
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
	case q.MaxTokens == nil:
		http.Error(w, "MaxTokens not specified", http.StatusBadRequest)
	default:
		q.Answer(w, min(5, *q.MaxTokens))
	}
}

// media answers with two images: one to be fetched, and one as it is.
func (o *foreignOrchestrator) media(w http.ResponseWriter, r *http.Request) {
	const path = "/stream/0011aabb/00112233.png"
	o.with(func() { o.files[path] = pipelines.PNG(8, 8, 1) })
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"images":[{"url":%q,"seed":1,"nsfw":false},{"url":%q,"seed":2,"nsfw":true}]}`,
		o.server.URL+path, pipelines.DataURL("image/png", pipelines.PNG(8, 8, 2)))
}

// checkJob holds a job to what the network's orchestrators look for, and to
// having nothing that only our own know.
func (o *foreignOrchestrator) checkJob(j foreignRequest, m inference.Model) {
	o.t.Helper()
	s := j.Segment
	caps := s.GetCapabilities()
	switch models := caps.GetConstraints().GetPerCapability()[uint32(m.Capability)].GetModels(); {
	case string(s.GetManifestId()) != fmt.Sprintf("%d_%s", m.Capability, m.ID), s.GetSeq() != 0, s.GetDuration() != 0,
		string(s.GetProfiles()) != "invalid":
		o.t.Errorf("segment %v", s)
	case fmt.Sprintf("%x", s.GetHash()) != "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470":
		o.t.Errorf("hash %x", s.GetHash())
	case len(caps.GetBitstring()) != 1 || caps.GetBitstring()[0] != 0x04005fff|1<<uint(m.Capability), len(models) != 1 ||
		models[m.ID] == nil || models[m.ID].GetWarm():
		o.t.Errorf("capabilities %v", caps)
	case len(s.GetFullProfiles())+len(s.GetFullProfiles2())+len(s.GetFullProfiles3()) > 0, len(s.GetSig()) > 0:
		o.t.Errorf("profiles or a signature: %v", s)
	case !bytes.HasPrefix(s.GetAuthToken().GetToken(), []byte("token ")):
		o.t.Errorf("token %v", s.GetAuthToken())
	}
	if j.Header.Get("Authorization") != "Livepeer-AI-Worker-1.0" ||
		!slices.Equal(j.Header["Livepeer-Payment"], []string{""}) {
		o.t.Errorf("headers %v", j.Header)
	}
	for name := range j.Header {
		if strings.HasPrefix(name, "Tutti") {
			o.t.Errorf("header %s", name)
		}
	}
}
