package manager_test

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/lifecycle"
)

var (
	_ inference.Worker    = (*manager.Manager)(nil)
	_ lifecycle.Component = (*manager.Manager)(nil)
	_ lifecycle.Drainer   = (*manager.Manager)(nil)
	_ lifecycle.Stopper   = (*manager.Manager)(nil)
)

func llm(id string) inference.Model { return inference.Model{Capability: capability.LLM, ID: id} }

// rig is a running manager on a host, in a bubble.
type rig struct {
	t      *testing.T
	h      *host
	m      *manager.Manager
	board  *health.Board
	log    *logged
	cancel context.CancelFunc
	done   chan error
	states *diary
}

// logged is a log that can be read while it is written.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.buf.String(), part)
}

// diary records the states that models enter.
type diary struct {
	inference.NopRecorder
	mu     sync.Mutex
	states map[string][]string
}

func (d *diary) ModelChanged(s *inference.ModelState) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.states[s.Model.ID] = append(d.states[s.Model.ID], string(s.State))
}

func (d *diary) of(model string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.states[model], " ")
}

// begin starts a manager.
func begin(t *testing.T, h *host, o manager.Options) *rig {
	t.Helper()
	r := &rig{t: t, h: h, log: &logged{}, done: make(chan error, 1), states: &diary{states: map[string][]string{}}}
	log := slog.New(slog.NewTextHandler(r.log, nil))
	r.board = health.New(log, time.Now, nil)
	o.Engine, o.Board, o.Recorder, o.Log = h, r.board, r.states, log
	o.Images = func(e *manager.Entry) (string, error) { return "image-of-" + e.Model.ID, nil }
	if o.Ports == nil {
		o.Ports = docker.NewPorts(func(uint16) bool { return true })
	}
	o.Random = func() float64 { return 0.5 }
	o.Backends = func(_ *manager.Entry, url string) (backend.Backend, error) {
		_, port, _ := strings.Cut(strings.TrimPrefix(url, "http://"), ":")
		n, _ := strconv.Atoi(port)
		return &client{h: h, url: url, port: uint16(n)}, nil
	}
	m := manager.New(o)
	r.m = m
	var ctx context.Context
	ctx, r.cancel = context.WithCancel(t.Context())
	go func() { r.done <- m.Run(ctx, func() {}) }()
	synctest.Wait()
	return r
}

// end stops the manager; nothing may be left.
func (r *rig) end() {
	r.t.Helper()
	r.cancel()
	if err := <-r.done; err != nil {
		r.t.Errorf("run: %v", err)
	}
	if n := r.h.left(); n != 0 {
		r.t.Errorf("%d containers left", n)
	}
	if !r.board.Healthy() {
		r.t.Errorf("conditions left: %+v", r.board.Snapshot())
	}
	r.idle()
}

// idle checks that no slot is in use.
func (r *rig) idle() {
	r.t.Helper()
	for _, s := range r.m.Models() {
		if s.InUse != 0 || s.Waiting != 0 {
			r.t.Errorf("%s: %d in use, %d waiting", s.Model.ID, s.InUse, s.Waiting)
		}
	}
}

// after lets time pass.
func after(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// state is one model's, checked against a state and code.
func (r *rig) state(model string, want inference.State, code fault.Code) inference.ModelState {
	r.t.Helper()
	synctest.Wait()
	for _, s := range r.m.Models() {
		if s.Model.ID == model {
			if s.State != want || s.Code != code {
				r.t.Errorf("%s is %s (%s: %s), want %s (%s)", model, s.State, s.Code, s.Reason, want, code)
			}
			return s
		}
	}
	r.t.Fatalf("no model %s", model)
	return inference.ModelState{}
}

// job runs one to its end, and fails the test when it fails.
func (r *rig) job(model string) {
	r.t.Helper()
	if err := r.try(model, time.Minute); err != nil {
		r.t.Errorf("job for %s: %v", model, err)
	}
}

// try runs a job within a limit.
func (r *rig) try(model string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(r.t.Context(), limit)
	defer cancel()
	slot, err := r.m.Reserve(ctx, llm(model), "party")
	if err != nil {
		return err
	}
	defer slot.Release()
	reply, err := slot.Run(ctx, &inference.Job{Model: llm(model)})
	if err != nil {
		return err
	}
	return reply.Body.Close()
}

// hold takes a slot and begins a job in it.
func (r *rig) hold(model string) (slot inference.Slot, reply *inference.Reply) {
	r.t.Helper()
	slot, err := r.m.Reserve(r.t.Context(), llm(model), "party")
	if err != nil {
		r.t.Fatal(err)
	}
	reply, err = slot.Run(r.t.Context(), &inference.Job{Model: llm(model)})
	if err != nil {
		r.t.Fatal(err)
	}
	return slot, reply
}
