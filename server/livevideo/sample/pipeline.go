package sample

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/trickle"
)

// Model is the name by which gateways ask for the sample.
const Model = "sample"

// Options make a Pipeline.
type Options struct {
	Hub *trickle.Hub
	// Media draws the effects. It must be of the CPU.
	Media core.Transcoder
	// Sessions is how many it takes at once.
	Sessions int

	Now func() time.Time
	Log *slog.Logger
}

// Pipeline runs the sample's sessions. It is an inference.Worker.
type Pipeline struct {
	o     Options
	since time.Time

	mu   sync.Mutex
	used int // guarded by mu
}

var (
	_ inference.Worker   = (*Pipeline)(nil)
	_ inference.LongSlot = (*slot)(nil)
)

// New makes a pipeline without sessions.
func New(o Options) *Pipeline { return &Pipeline{o: o, since: o.Now()} }

// Models returns the one model.
func (p *Pipeline) Models() []inference.ModelState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []inference.ModelState{{
		Model: id(), State: inference.Ready, Warm: true, Since: p.since, Capacity: p.o.Sessions, InUse: p.used,
	}}
}

func id() inference.Model {
	return inference.Model{Capability: capability.LiveVideoToVideo, ID: Model}
}

// Reserve takes a slot, or fails at once where all are in use.
func (p *Pipeline) Reserve(_ context.Context, model inference.Model, _ string) (inference.Slot, error) {
	const op = "reserve the sample pipeline"
	if model != id() {
		return nil, fault.New(fault.ModelNotServed, op, model.String())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used >= p.o.Sessions {
		return nil, fault.New(fault.ModelWaitOver, op, fmt.Sprintf("%d of %d in use", p.used, p.o.Sessions))
	}
	p.used++
	return &slot{p: p, done: make(chan struct{})}, nil
}

// slot is the right to one session.
type slot struct {
	p       *Pipeline
	release sync.Once
	begun   bool
	// done is closed when the session's work has ended.
	done chan struct{}
}

// Run starts a session, see inference.Slot.
func (s *slot) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	const op = "start the sample pipeline"
	var req struct {
		ID     string          `json:"manifest_id"`
		Stream string          `json:"stream_id"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(job.Body, &req); err != nil {
		return nil, fault.Wrap(fault.JobUnreadable, op, err)
	}
	effect, err := parseParams(req.Params, core.EffectEdges)
	if err != nil {
		return refused(err), nil
	}
	w := &work{p: s.p, id: req.ID, stream: req.Stream, params: req.Params, effect: effect}
	if !w.open() {
		return nil, fault.New(fault.Canceled, op, "the channels are closed")
	}
	s.begun = true
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(s.done)
		w.run(ctx)
	}()
	return &inference.Reply{
		Status: http.StatusOK, ContentType: "application/json", Length: 2,
		Body: &answer{Reader: bytes.NewReader([]byte("{}")), end: cancel, done: s.done}, Worker: "sample",
	}, nil
}

func refused(err error) *inference.Reply {
	text, _ := json.Marshal(map[string]string{"detail": err.Error()})
	return &inference.Reply{
		Status: http.StatusBadRequest, ContentType: "application/json", Length: int64(len(text)),
		Body: io.NopCloser(bytes.NewReader(text)),
	}
}

// answer is the body of an answer; its end is that of the work.
type answer struct {
	io.Reader
	end  context.CancelFunc
	done <-chan struct{}
}

// Close ends the work and waits for it.
func (a *answer) Close() error {
	a.end()
	<-a.done
	return nil
}

// Release gives the slot back, see inference.Slot.
func (s *slot) Release() {
	s.release.Do(func() {
		s.p.mu.Lock()
		defer s.p.mu.Unlock()
		s.p.used--
	})
}

// Lost is closed when the work has ended, see inference.LongSlot.
func (s *slot) Lost() <-chan struct{} { return s.done }

// Recheck does nothing: work of this process does not go silently.
func (s *slot) Recheck() {}

// AwaitIdle waits for the end of the work, see inference.LongSlot.
func (s *slot) AwaitIdle(ctx context.Context) {
	if !s.begun {
		return
	}
	select {
	case <-s.done:
	case <-ctx.Done():
	}
}
