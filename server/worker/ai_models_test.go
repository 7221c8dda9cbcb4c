package worker_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

func llm(id string) inference.Model { return inference.Model{Capability: capability.LLM, ID: id} }

// models is a machine with one model.
type models struct {
	line *fairqueue.Queue
	// run does a job.
	run func(ctx context.Context, job *inference.Job) (*inference.Reply, error)

	mu    sync.Mutex
	state inference.ModelState
	jobs  []*inference.Job
	// parties are those that asked for a slot.
	parties []string
}

func newModels(id inference.Model, slots int) *models {
	m := &models{line: fairqueue.New(fairqueue.Options{Slots: slots, MaxWaiting: 8})}
	m.state = inference.ModelState{
		Model: id, State: inference.Ready, Warm: true, Capacity: slots, RunnerVersion: "0.1.2", Context: 4096,
		Operations: []inference.Operation{inference.Chat, inference.Embedding}, Devices: []string{"0"},
		Features: inference.Features{Has: inference.Tools | inference.JSONSchema, Lacks: inference.Vision},
	}
	m.run = says(200, "application/json", `{"ok":true}`)
	return m
}

// says answers with a text.
func says(status int, kind, text string) func(context.Context, *inference.Job) (*inference.Reply, error) {
	return func(context.Context, *inference.Job) (*inference.Reply, error) {
		return &inference.Reply{Status: status, ContentType: kind, Length: int64(len(text)),
			Body: io.NopCloser(bytes.NewReader([]byte(text))), Worker: "box"}, nil
	}
}

func (m *models) Models() []inference.ModelState {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.state
	stats := m.line.Stats()
	s.InUse, s.Waiting = stats.InUse, stats.Waiting
	return []inference.ModelState{s}
}

func (m *models) change(f func(*inference.ModelState)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f(&m.state)
	m.line.Resize(m.state.Capacity)
}

func (m *models) seen() []*inference.Job {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]*inference.Job(nil), m.jobs...)
}

func (m *models) Reserve(ctx context.Context, id inference.Model, party string) (inference.Slot, error) {
	m.mu.Lock()
	known := m.state.Model == id
	m.parties = append(m.parties, party)
	m.mu.Unlock()
	if !known {
		return nil, fault.New(fault.ModelNotServed, "", "")
	}
	release, err := m.line.Acquire(ctx, party)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fault.Wrap(fault.ModelWaitOver, "", err)
	}
	if err != nil {
		return nil, err
	}
	return &modelSlot{m, release}, nil
}

type modelSlot struct {
	m       *models
	release func()
}

func (s *modelSlot) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	s.m.mu.Lock()
	s.m.jobs = append(s.m.jobs, job)
	run := s.m.run
	s.m.mu.Unlock()
	return run(ctx, job)
}

func (s *modelSlot) Release() { s.release() }

// writer is a runner that answers with a stream, piece by piece.
type writer struct {
	begun  chan struct{}
	closed chan struct{}
	once   sync.Once
	r      *io.PipeReader
	w      *io.PipeWriter
}

func newWriter() *writer {
	w := &writer{begun: make(chan struct{}, 8), closed: make(chan struct{})}
	w.r, w.w = io.Pipe()
	return w
}

func (w *writer) run(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
	w.begun <- struct{}{}
	context.AfterFunc(ctx, func() { w.r.CloseWithError(ctx.Err()) })
	return &inference.Reply{Status: 200, ContentType: "text/event-stream", Length: -1, Body: w, Worker: "box"}, nil
}

func (w *writer) Read(p []byte) (int, error) { return w.r.Read(p) }

func (w *writer) Close() error {
	w.once.Do(func() { close(w.closed) })
	return w.r.Close()
}

func (w *writer) say(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(w.w, text); err != nil {
		t.Fatalf("the runner's answer is not read: %v", err)
	}
}
