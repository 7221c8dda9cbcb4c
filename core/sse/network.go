package sse

// maxEvent bounds an event that Network decodes; a stream with a longer one is
// ended.
const maxEvent = 8 << 20

// Network is a Filter that makes of any server's stream one that gateways of the
// existing network can take: each event is one line "data: {…}" of less than 64
// KiB with one choice, usage is in the event with the finish reason, there is
// always one with a finish reason, and it is the last. They fail on anything
// else. What their format has no field for is left out.
//
// A stream that ends without a reason gets one: "stop" if it said [DONE], else
// "error". It scans what it filters. The zero value is ready.
type Network struct {
	// Model, where set, is the name that was asked for; the server may have another.
	Model string
	// Scanner has seen the stream as it came.
	Scanner Scanner
	held    []byte
	chunk   chunk
	// finishing: chunk is the last one, held back for a usage after it. ended: it was sent.
	finishing, ended bool
}

// Feed appends to dst the events that p completes.
func (f *Network) Feed(dst, p []byte) []byte {
	for len(p) > 0 {
		n, ended := f.Scanner.parser.next(p)
		part := p[:n]
		p = p[n:]
		e := f.Scanner.advance(n, ended)
		if f.ended {
			continue
		}
		if len(f.held)+len(part) > maxEvent {
			dst = f.finish(dst, reasonError)
			continue
		}
		if !ended {
			f.held = append(f.held, part...)
			continue
		}
		block := part
		if len(f.held) > 0 {
			f.held = append(f.held, part...)
			block = f.held
		}
		dst = f.event(dst, block, &e)
		f.held = f.held[:0]
	}
	return dst
}

// End appends the last event, where it is still missing.
func (f *Network) End(dst []byte, broken bool) []byte {
	f.Scanner.parser.end()
	if f.Scanner.parser.data || f.Scanner.parser.failed {
		e := f.Scanner.record()
		if !f.ended && !broken {
			dst = f.event(dst, f.held, &e)
		}
	}
	f.held = nil
	if f.ended {
		return dst
	}
	return f.finish(dst, reasonError)
}

// Ended reports whether the last event was sent.
func (f *Network) Ended() bool { return f.ended }

// event appends what one event of the server becomes.
func (f *Network) event(dst, block []byte, e *event) []byte {
	switch {
	case e.failed:
		if f.finishing {
			f.chunk.Choices[0].FinishReason = reasonError
		}
		return f.finish(dst, reasonError)
	case e.done:
		return f.finish(dst, reasonStop)
	case !e.data || e.broken || e.blank:
		return dst
	}
	var in chunk
	if !in.decode(block) {
		return dst
	}
	f.chunk.merge(&in, &e.eventSummary)
	if f.Model != "" {
		f.chunk.Model = f.Model
	}
	if len(in.Choices) == 0 || f.finishing {
		return dst
	}
	f.chunk.Choices = append(f.chunk.Choices[:0], in.Choices[0])
	if f.chunk.Choices[0].FinishReason != "" {
		f.finishing = true
		return dst
	}
	return f.chunk.encode(dst)
}

// finish appends the last event: the held one, or one that only tells the reason.
func (f *Network) finish(dst []byte, reason string) []byte {
	f.ended = true
	f.held = nil
	if !f.finishing {
		f.chunk.Choices = append(f.chunk.Choices[:0], choice{FinishReason: reason})
	}
	return f.chunk.encode(dst)
}
