package livevideo

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
)

// SampleModel is the name by which gateways ask for the sample.
const SampleModel = "sample"

// SampleOptions make a Sample.
type SampleOptions struct {
	// Open finds the channels of sessions: HubChannels or HTTPChannels.
	Open ChannelOpener
	// Media draws the effects. It must be of the CPU.
	Media core.Transcoder
	// Sessions is how many it takes at once.
	Sessions int

	Now func() time.Time
	Log *slog.Logger
}

// Sample runs the sample's sessions. It is an inference.Worker.
type Sample struct {
	o     SampleOptions
	since time.Time

	mu   sync.Mutex
	used int // guarded by mu
}

var (
	_ inference.Worker   = (*Sample)(nil)
	_ inference.LongSlot = (*sampleSlot)(nil)
)

// NewSample makes a sample without sessions.
func NewSample(o SampleOptions) *Sample { return &Sample{o: o, since: o.Now()} }

// Models returns the one model.
func (p *Sample) Models() []inference.ModelState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []inference.ModelState{{
		Model: sampleID(), State: inference.Ready, Warm: true, Since: p.since, Capacity: p.o.Sessions, InUse: p.used,
	}}
}

func sampleID() inference.Model {
	return inference.Model{Capability: capability.LiveVideoToVideo, ID: SampleModel}
}

// Reserve takes a slot, or fails at once where all are in use.
func (p *Sample) Reserve(_ context.Context, model inference.Model, _ string) (inference.Slot, error) {
	const op = "reserve the sample pipeline"
	if model != sampleID() {
		return nil, fault.New(fault.ModelNotServed, op, model.String())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.used >= p.o.Sessions {
		return nil, fault.New(fault.ModelWaitOver, op, fmt.Sprintf("%d of %d in use", p.used, p.o.Sessions))
	}
	p.used++
	return &sampleSlot{p: p, done: make(chan struct{})}, nil
}

// sampleSlot is the right to one session.
type sampleSlot struct {
	p       *Sample
	release sync.Once
	begun   bool
	// done is closed when the session's work has ended.
	done chan struct{}
}

// Run starts a session, see inference.Slot.
func (s *sampleSlot) Run(ctx context.Context, job *inference.Job) (*inference.Reply, error) {
	const op = "start the sample pipeline"
	var req RunnerRequest
	if err := json.Unmarshal(job.Body, &req); err != nil {
		return nil, fault.Wrap(fault.JobUnreadable, op, err)
	}
	effect, err := parseParams(req.Params, core.EffectEdges)
	if err != nil {
		return refusedEffect(err), nil
	}
	w := &sampleWork{p: s.p, id: req.ID, stream: req.Stream, params: req.Params, effect: effect}
	if w.RunnerChannels, err = s.p.o.Open(&req); err != nil {
		return nil, err
	}
	s.begun = true
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(s.done)
		w.run(ctx)
	}()
	return &inference.Reply{
		Status: http.StatusOK, ContentType: "application/json", Length: 2,
		Body: &sampleAnswer{Reader: bytes.NewReader([]byte("{}")), end: cancel, done: s.done}, Worker: SampleModel,
	}, nil
}

// refusedEffect is the answer to parameters that name no effect.
func refusedEffect(err error) *inference.Reply {
	text, _ := json.Marshal(map[string]string{"detail": err.Error()})
	return &inference.Reply{
		Status: http.StatusBadRequest, ContentType: "application/json", Length: int64(len(text)),
		Body: io.NopCloser(bytes.NewReader(text)),
	}
}

// sampleAnswer is the body of an answer; its end is that of the work.
type sampleAnswer struct {
	io.Reader
	end  context.CancelFunc
	done <-chan struct{}
}

// Close ends the work and waits for it.
func (a *sampleAnswer) Close() error {
	a.end()
	<-a.done
	return nil
}

// Release gives the slot back, see inference.Slot.
func (s *sampleSlot) Release() {
	s.release.Do(func() {
		s.p.mu.Lock()
		defer s.p.mu.Unlock()
		s.p.used--
	})
}

// Lost is closed when the work has ended, see inference.LongSlot.
func (s *sampleSlot) Lost() <-chan struct{} { return s.done }

// Recheck does nothing: work of this process does not go silently.
func (s *sampleSlot) Recheck() {}

// AwaitIdle waits for the end of the work, see inference.LongSlot.
func (s *sampleSlot) AwaitIdle(ctx context.Context) {
	if !s.begun {
		return
	}
	select {
	case <-s.done:
	case <-ctx.Done():
	}
}
