package worker

// Payload is a transfer that is being received: the bytes that a message
// announced, over one or several buffers of known size.
type Payload struct {
	bufs [][]byte // what is not filled yet; the first may be partly filled
}

// NewPayload allocates one buffer per length, each exactly sized. The caller has
// checked the lengths against its limits.
func NewPayload(lengths ...int) (*Payload, [][]byte) {
	bufs := make([][]byte, len(lengths))
	for i, n := range lengths {
		bufs[i] = make([]byte, n)
	}
	p := &Payload{bufs: append([][]byte(nil), bufs...)}
	p.skipFull()
	return p, bufs
}

// Complete reports whether every byte has arrived.
func (p *Payload) Complete() bool { return len(p.bufs) == 0 }

// Receive reads the body of a Data frame into place. A frame that exceeds what
// was announced, or crosses from one buffer into the next, is malformed.
func (p *Payload) Receive(c *Conn, h MessageHeader) error {
	if p.Complete() || h.Len > len(p.bufs[0]) {
		return protocolErrorf("%d bytes more than announced for %d", h.Len, h.ID)
	}
	if err := c.Into(p.bufs[0][:h.Len]); err != nil {
		return err
	}
	p.bufs[0] = p.bufs[0][h.Len:]
	p.skipFull()
	return nil
}

// Size returns how many bytes are still missing.
func (p *Payload) Size() int {
	n := 0
	for _, b := range p.bufs {
		n += len(b)
	}
	return n
}

func (p *Payload) skipFull() {
	for len(p.bufs) > 0 && len(p.bufs[0]) == 0 {
		p.bufs = p.bufs[1:]
	}
}
