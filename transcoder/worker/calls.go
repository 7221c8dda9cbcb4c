package worker

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/worker/frame"
)

// errRetired says that the child takes no more calls because a fresh one has
// taken its place.
var errRetired = errors.New("the worker is being exchanged")

// call is a request that waits for its answer. The reader owns it until done is
// closed.
type call struct {
	want   int
	result *core.TranscodeResult
	probed transcoder.MediaInfo
	// encoders is the answer to a question for them, when counted.
	encoders int
	counted  bool
	payload  *frame.Payload
	err      error
	done     chan struct{}
	// finished is closed when the caller has what it wanted or has given up.
	finished chan struct{}
}

func (p *process) begin(want int) (uint64, *call, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.retired {
		return 0, nil, errRetired
	}
	p.next++
	c := &call{want: want, done: make(chan struct{}), finished: make(chan struct{})}
	p.calls[p.next] = c
	p.slots[p.next] = 0
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

// idle is how long nothing has been asked of the child, 0 while it works.
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

// retire lets the child finish its calls but take no new one.
func (p *process) retire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.retired = true
}

// drain waits until no call is left, the child dies or ctx ends.
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

// endSession tells the child that a session is over.
func (p *process) endSession(id core.SessionID) {
	if err := p.conn.Send(frame.TypeEndSession, 0, frame.EncodeSession(id)); err != nil {
		p.o.Log.Debug("end of session not sent", "session", string(id), "err", err)
	}
}

// ask sends a request and waits for the answer. message makes the request's
// message once it is known where the input lies.
func (p *process) ask(ctx context.Context, t frame.Type, want int, input []byte, message func(slot int) ([]byte, error)) (*call, error) {
	id, c, err := p.begin(want)
	if err != nil {
		return nil, err
	}
	defer p.finish(id)
	if err := p.send(id, t, input, message); err != nil {
		return nil, err
	}
	select {
	case <-c.done:
		return c, c.err
	case <-p.gone:
		return nil, p.fault
	case <-ctx.Done():
		p.giveUp(id)
		return nil, fault.Wrap(fault.CodeOf(ctx.Err()), "transcode", ctx.Err())
	}
}

// giveUp tells the child that nobody waits for a request any more. The child
// answers all the same, when it notices; one that never does is stuck.
func (p *process) giveUp(id uint64) {
	p.mu.Lock()
	if _, unanswered := p.slots[id]; unanswered {
		p.abandoned[id] = time.Now()
	}
	p.mu.Unlock()
	if err := p.conn.Send(frame.TypeCancel, id, nil); err != nil {
		p.o.Log.Debug("cancel not sent", "err", err)
	}
}

// stuck reports whether a request that was given up has still not ended.
func (p *process) stuck() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, since := range p.abandoned {
		if time.Since(since) > p.o.times.stuck {
			return true
		}
	}
	return false
}

// send hands a request over. It returns nil when the child is gone, which the
// caller finds by itself. A send that has to wait ends at the latest when the
// child is found to be silent.
func (p *process) send(id uint64, t frame.Type, input []byte, message func(slot int) ([]byte, error)) error {
	slot, err := p.arena.Put(input)
	if err != nil {
		// No memory for it; the socket needs none.
		p.o.Log.Debug("shared memory not usable", "device", p.o.Device, "err", err)
	}
	body, err := message(slot)
	if err != nil {
		p.arena.Release(slot)
		p.answered(id)
		return fault.Wrap(fault.TranscoderInvalidInput, "transcode", err)
	}
	if slot > 0 {
		p.giveSlot(id, slot)
		input = nil
	}
	if err := p.conn.Send(t, id, body, input); err != nil {
		p.o.Log.Debug("the media worker takes no request", "device", p.o.Device, "err", err)
		// Whatever broke the socket, the child is of no use without it; if it died,
		// its status says more.
		p.awaitStatus()
		p.kill(fault.Wrap(fault.WorkerCrashed, "transcode", err))
	}
	return nil
}

// giveSlot notes that the child has the slot until it answers.
func (p *process) giveSlot(id uint64, slot int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots[id] = slot
}

// answered notes that the child is done with a request, and takes back the slot
// that went with it, 0 when there was none.
func (p *process) answered(id uint64) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.abandoned, id)
	slot := p.slots[id]
	delete(p.slots, id)
	return slot
}

func (p *process) transcode(ctx context.Context, job *core.TranscodeJob) (*core.TranscodeResult, error) {
	if err := frame.CheckJob(job); err != nil {
		return nil, fault.Wrap(fault.TranscoderInvalidInput, "transcode", err)
	}
	c, err := p.ask(ctx, frame.TypeJob, len(job.Profiles), job.Input, func(slot int) ([]byte, error) {
		return frame.EncodeJob(job, slot)
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
	c, err := p.ask(ctx, frame.TypeProbe, 0, segment, func(slot int) ([]byte, error) {
		return frame.EncodePlace(frame.Place{Len: len(segment), Slot: slot}), nil
	})
	if err != nil {
		return transcoder.MediaInfo{Status: transcoder.ProbeFailed}, err
	}
	return c.probed, nil
}
