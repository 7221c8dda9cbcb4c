package worker

import (
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core/fault"
)

// reader takes what comes from a child. One goroutine owns it. Everything that a child
// may send was asked for: an answer for each request, the bytes that the answer
// announced, and an answer for each heartbeat. So a child that was taken over can make
// this process neither keep nor read more than that.
type reader struct {
	p *process
	// incoming are the answers whose bytes have not all come.
	incoming map[uint64]*incoming
	pongs    int64
}

// incoming is an answer whose bytes are on their way: into the payload of its call, or,
// where nothing waits for them, to be dropped.
type incoming struct {
	c       *call
	payload *Payload
	// drop is how many bytes are to be dropped.
	drop int64
}

// read takes everything that comes from the child until there is no more, or
// until it breaks the protocol.
func (p *process) read() {
	r := &reader{p: p, incoming: make(map[uint64]*incoming)}
	for {
		h, err := p.conn.Next()
		if err == nil {
			p.received.Add(1)
			err = r.take(h)
		}
		if err == nil {
			continue
		}
		if malformed, ok := errors.AsType[*ProtocolError](err); ok {
			p.kill(fault.Wrap(fault.WorkerProtocol, "transcode", malformed))
			return
		}
		// The socket closed: the child's status comes in a moment and says more.
		p.awaitStatus()
		p.kill(fault.Wrap(fault.WorkerCrashed, "transcode", err))
		return
	}
}

func (r *reader) take(h MessageHeader) error {
	switch h.Type {
	case TypeData:
		return r.takeData(h)
	case TypePong:
		return r.takePong(h)
	}
	a, err := r.p.answered(h.ID, h.Type)
	if err != nil {
		return err
	}
	// The child is done with the request's slot once it was read.
	defer r.p.arena.Release(a.slot)
	body, err := r.p.conn.Message(h)
	if err != nil {
		return err
	}
	c := r.p.call(h.ID) // nil: its caller has left
	if h.Type == TypeResult {
		return r.takeResult(h.ID, a, c, body)
	}
	r.p.complete(h.ID)
	if c == nil {
		return nil
	}
	switch h.Type {
	case TypeProbed:
		c.probed, err = DecodeProbed(body)
	case TypeLimited:
		c.encoders, err = DecodeCount(body)
		c.counted = true
	case TypeError:
		var f *fault.Fault
		if f, err = DecodeError(body); err == nil {
			c.err = f
		}
	}
	if err == nil {
		close(c.done)
	}
	return err
}

// takePong takes an answer to a heartbeat, which is empty. There are at most as many as
// heartbeats.
func (r *reader) takePong(h MessageHeader) error {
	if r.pongs++; r.pongs > r.p.pings.Load() {
		return &ProtocolError{Reason: "more signs of life than were asked for"}
	}
	if h.Len > 0 {
		return &ProtocolError{Reason: fmt.Sprintf("a sign of life of %d KB", h.Len>>10)}
	}
	return nil
}

// takeResult takes a result's message, and its bytes where they are in the job's slot.
func (r *reader) takeResult(id uint64, a pendingRequest, c *call, body []byte) error {
	res, err := DecodeResult(body, a.want)
	if err != nil {
		return err
	}
	var payload *Payload
	if c != nil {
		payload, err = r.allocate(a, res)
	}
	switch {
	case c != nil && err != nil:
		c.err = err
		close(c.done)
	case c != nil:
		c.result = res.TranscodeResult
	}
	in := &incoming{c: c, payload: payload}
	switch {
	case res.InSlot && payload != nil:
		if err := r.p.arena.Fill(a.slot, payload); err != nil {
			return err
		}
	case payload == nil && !res.InSlot:
		in.c, in.drop = nil, res.Bytes
	}
	r.incoming[id] = in
	r.ended(id, in)
	return nil
}

// allocate makes the buffers of a result that is within what was ordered and within the
// memory for all results. The error is the fault of the one job, and of the child's none.
func (r *reader) allocate(a pendingRequest, res *ResultMessage) (*Payload, error) {
	if res.Bytes > a.most {
		return nil, fault.New(fault.RenditionsTooLarge, "transcode",
			fmt.Sprintf("%d bytes, %d allowed for what was ordered", res.Bytes, a.most))
	}
	payload, ok := r.p.o.results.allocate(a.party, res)
	if !ok {
		return nil, fault.New(fault.TranscoderBusy, "transcode",
			"renditions that are still to be sent fill the memory set aside for them")
	}
	return payload, nil
}

func (r *reader) takeData(h MessageHeader) error {
	in := r.incoming[h.ID]
	if in == nil {
		return &ProtocolError{Reason: "a payload before its message"}
	}
	if in.payload != nil && r.p.call(h.ID) == nil {
		// Its caller has left: nothing keeps the buffers.
		in.drop, in.payload, in.c = int64(in.payload.Size()), nil, nil
	}
	var err error
	switch {
	case in.payload != nil:
		err = in.payload.Receive(r.p.conn, h)
	case int64(h.Len) > in.drop:
		err = &ProtocolError{Reason: fmt.Sprintf("%d bytes more than announced for %d", h.Len, h.ID)}
	default:
		in.drop -= int64(h.Len)
		err = r.p.conn.Discard(h.Len)
	}
	if err != nil {
		return err
	}
	r.ended(h.ID, in)
	return nil
}

// ended ends an answer all of whose bytes have come.
func (r *reader) ended(id uint64, in *incoming) {
	if in.drop > 0 || in.payload != nil && !in.payload.Complete() {
		return
	}
	delete(r.incoming, id)
	r.p.complete(id)
	if in.payload != nil {
		close(in.c.done)
	}
}
