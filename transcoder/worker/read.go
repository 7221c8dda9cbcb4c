package worker

import (
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker/frame"
)

// read takes everything that comes from the child until there is no more, or
// until it breaks the protocol.
func (p *process) read() {
	for {
		h, err := p.conn.Next()
		if err == nil {
			p.seen.Add(1)
			err = p.take(h)
		}
		if err == nil {
			continue
		}
		if malformed, ok := errors.AsType[*frame.Error](err); ok {
			p.kill(fault.Wrap(fault.WorkerProtocol, "transcode", malformed))
			return
		}
		// The socket closed: the child's status comes in a moment and says more.
		p.awaitStatus()
		p.kill(fault.Wrap(fault.WorkerCrashed, "transcode", err))
		return
	}
}

func (p *process) take(h frame.Header) error {
	if h.Type == frame.TypeData {
		return p.takeData(h)
	}
	body, err := p.conn.Message(h)
	if err != nil || h.Type == frame.TypePong {
		return err
	}
	// Any answer means that the child is done with the request's slot.
	slot := p.answered(h.ID)
	defer p.arena.Release(slot)
	c := p.call(h.ID)
	if c == nil {
		// Its caller has gone, or never was: nobody is told anything.
		return nil
	}
	if c.payload != nil {
		return &frame.Error{Reason: "two answers to one request"}
	}
	switch h.Type {
	case frame.TypeResult:
		var inSlot bool
		c.result, c.payload, inSlot, err = frame.DecodeResult(body, c.want)
		if err == nil && inSlot {
			err = p.arena.Fill(slot, c.payload)
		}
	case frame.TypeProbed:
		c.probed, err = frame.DecodeProbed(body)
		c.payload = &frame.Payload{}
	case frame.TypeLimited:
		c.encoders, err = frame.DecodeCount(body)
		c.counted, c.payload = true, &frame.Payload{}
	case frame.TypeError:
		var f *fault.Fault
		if f, err = frame.DecodeError(body); err == nil {
			c.err, c.payload = f, &frame.Payload{}
		}
	default:
		err = &frame.Error{Reason: "a message that only we may send"}
	}
	if err == nil && c.payload.Complete() {
		close(c.done)
	}
	return err
}

func (p *process) takeData(h frame.Header) error {
	c := p.call(h.ID)
	if c == nil {
		return p.conn.Discard(h.Len)
	}
	if c.payload == nil {
		return &frame.Error{Reason: "a payload before its message"}
	}
	if err := c.payload.Receive(p.conn, h); err != nil {
		return err
	}
	if c.payload.Complete() {
		close(c.done)
	}
	return nil
}
