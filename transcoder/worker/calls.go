package worker

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// errRetired: the child accepts no more calls because another one has replaced it.
var errRetired = errors.New("the worker is being replaced")

// call is a request that waits for its answer. The reader owns it until done is
// closed.
type call struct {
	result *core.TranscodeResult
	probed transcoder.MediaInfo
	// encoders is the answer to an encoder count, when counted is set.
	encoders int
	counted  bool
	err      error
	done     chan struct{}
	// finished is closed when the caller has its result or has given up.
	finished chan struct{}
}

// pendingRequest is a request until the last byte of its answer.
type pendingRequest struct {
	kind MessageType
	// want is how many renditions are wanted, most how many bytes they may have in all.
	want int
	most int64
	// party is the sender that the job is accounted to, "" when unknown.
	party string
	// slot is its arena slot, or 0.
	slot           int
	sent, answered bool
	// abandoned is when its caller left.
	abandoned time.Time
}

func (p *process) begin(a pendingRequest) (uint64, *call, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.retired {
		return 0, nil, errRetired
	}
	p.next++
	c := &call{done: make(chan struct{}), finished: make(chan struct{})}
	p.calls[p.next] = c
	p.pending[p.next] = &a
	return p.next, c, nil
}

func (p *process) finish(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.calls[id].finished)
	delete(p.calls, id)
	p.idleSince = time.Now()
}

func (p *process) call(id uint64) *call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.calls[id]
}

// idle returns how long the child has had no request, 0 while it works.
func (p *process) idle() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.calls) > 0 {
		return 0
	}
	return time.Since(p.idleSince)
}

func (p *process) active() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.calls)
}

// retire lets the child finish its calls and accept no new one.
func (p *process) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = true
}

// drain waits until no call is left, the child ends or ctx ends.
func (p *process) drain(ctx context.Context) {
	for {
		p.mu.Lock()
		var one *call
		for _, c := range p.calls {
			one = c
			break
		}
		p.mu.Unlock()
		if one == nil {
			return
		}
		select {
		case <-one.finished:
		case <-p.gone:
			return
		case <-ctx.Done():
			return
		}
	}
}

// endSession sends the child the end of a session.
func (p *process) endSession(id core.SessionID) {
	if err := p.conn.Send(TypeEndSession, 0, EncodeSession(id)); err != nil {
		p.o.Log.Debug("end of session not sent", "session", string(id), "err", err)
	}
}

// ask sends a request and waits for the answer. message encodes the request when the
// input's slot is known.
func (p *process) ask(
	ctx context.Context, a pendingRequest, input []byte, message func(slot int) ([]byte, error),
) (*call, error) {
	id, c, err := p.begin(a)
	if err != nil {
		return nil, err
	}
	defer p.finish(id)
	if err := p.send(id, a.kind, input, message); err != nil {
		return nil, err
	}
	select {
	case <-c.done:
		return c, c.err
	case <-p.gone:
		return nil, p.fault
	case <-ctx.Done():
		p.abandonRequest(id)
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), "transcode", ctx.Err())
	}
}

// abandonRequest cancels a request. The child still answers it; a child that never does is
// stuck.
func (p *process) abandonRequest(id uint64) {
	p.mu.Lock()
	if a := p.pending[id]; a != nil {
		a.abandoned = time.Now()
	}
	p.mu.Unlock()
	if err := p.conn.Send(TypeCancel, id, nil); err != nil {
		p.o.Log.Debug("cancel not sent", "err", err)
	}
}

// hasStuckRequest reports whether an abandoned request has not ended in time.
func (p *process) hasStuckRequest() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.pending {
		if !a.abandoned.IsZero() && time.Since(a.abandoned) > p.o.times.stuck {
			return true
		}
	}
	return false
}

// send sends a request. It returns nil when the child is gone, which the caller detects by
// itself. A blocked send ends at the latest when the child misses its heartbeats.
func (p *process) send(id uint64, t MessageType, input []byte, message func(slot int) ([]byte, error)) error {
	slot, err := p.arena.Put(input)
	if err != nil {
		// No memory for it; the socket needs none.
		p.o.Log.Debug("shared memory not usable", "device", p.o.Device, "err", err)
	}
	body, err := message(slot)
	if err != nil {
		p.arena.Release(slot)
		p.complete(id)
		return fault.Wrap(fault.TranscoderInvalidInput, "transcode", err)
	}
	p.handOver(id, slot)
	if slot > 0 {
		input = nil
	}
	if err := p.conn.Send(t, id, body, input); err != nil {
		p.o.Log.Debug("the media worker takes no request", "device", p.o.Device, "err", err)
		// The child is useless without its socket. If it ended, its exit status has the
		// reason.
		p.awaitStatus()
		p.kill(fault.Wrap(fault.WorkerCrashed, "transcode", err))
	}
	return nil
}

// handOver records that the child gets a request now, and holds the slot until it answers.
func (p *process) handOver(id uint64, slot int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending[id].slot, p.pending[id].sent = slot, true
}

// answers are the messages that answer a request, besides TypeError, which answers all. Read-only.
var answers = map[MessageType]MessageType{
	TypeJob: TypeResult, TypeProbe: TypeProbed, TypeLimit: TypeLimited,
	TypeSound: TypeResult, TypeImage: TypeResult,
}

// answered records the child's one answer to a request, and returns the request.
func (p *process) answered(id uint64, t MessageType) (pendingRequest, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.pending[id]
	switch {
	case a == nil || !a.sent: // the next id is easily guessed
		return pendingRequest{}, &ProtocolError{Reason: "an answer to no request"}
	case a.answered:
		return pendingRequest{}, &ProtocolError{Reason: "two answers to one request"}
	case t != TypeError && t != answers[a.kind]:
		return pendingRequest{}, &ProtocolError{Reason: "an answer of another kind than the request"}
	}
	a.answered = true
	return *a, nil
}

// complete removes a request whose answer has arrived completely.
func (p *process) complete(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pending, id)
}

func (p *process) transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	if err := checkJob(job); err != nil {
		return nil, fault.Wrap(fault.TranscoderInvalidInput, "transcode", err)
	}
	a := pendingRequest{kind: TypeJob, want: len(job.Profiles), most: maxResultBytes(job), party: job.Party}
	c, err := p.ask(ctx, a, job.Input, func(slot int) ([]byte, error) {
		return EncodeJob(job, slot)
	})
	if err != nil {
		return nil, err
	}
	if c.result == nil {
		return nil, fault.New(fault.WorkerProtocol, "transcode", "")
	}
	return c.result, nil
}

func (p *process) probe(ctx context.Context, segment []byte) (transcoder.MediaInfo, error) {
	c, err := p.ask(ctx, pendingRequest{kind: TypeProbe}, segment, func(slot int) ([]byte, error) {
		return EncodeInputPlace(InputPlace{Len: len(segment), Slot: slot}), nil
	})
	if err != nil {
		return transcoder.MediaInfo{Status: transcoder.ProbeFailed}, err
	}
	return c.probed, nil
}
