package aiapi

// eventBuffer collects a stream's bytes until they are whole events. It starts with the request's
// small buffer, borrows a big one while data arrives fast, and returns it when the stream is slow
// again.
type eventBuffer struct {
	request *relayedRequest
	buf     []byte
	big     *[bigBuffer]byte
	// filled is the number of bytes in buf, whole the number of those already handed out.
	filled, whole int
}

// free returns where the next bytes go. It is never empty.
func (in *eventBuffer) free() []byte { return in.buf[in.filled:] }

// searchFrom returns where an end of an event may begin that new bytes complete, after filled bytes
// without one.
func searchFrom(filled int) int { return max(0, filled-longestEnd+1) }

// add accounts for n bytes that were read into free, and returns what may be passed on: whole
// events, or everything when one event fills the biggest buffer.
//
// Only the new bytes are searched: bytes from before contain no end of an event, or they would have
// been handed out. An orchestrator may send an event byte by byte, which must not cost quadratic
// time.
func (in *eventBuffer) add(n int) []byte {
	from := searchFrom(in.filled)
	in.filled += n
	if in.whole = lastEvent(in.buf[from:in.filled]); in.whole > 0 {
		in.whole += from
	}
	if in.whole == 0 && in.filled == bigBuffer {
		in.whole = in.filled
	}
	return in.buf[:in.whole]
}

// compact moves the bytes that were not handed out to the front of a buffer that fits the stream's
// speed.
func (in *eventBuffer) compact() {
	full := in.filled == len(in.buf)
	left := in.buf[in.whole:in.filled]
	switch {
	case full && in.big == nil:
		in.big = in.request.server.buffers.Get().(*[bigBuffer]byte)
		in.filled = copy(in.big[:], left)
		in.buf = in.big[:]
	case in.big != nil && in.filled < smallBuffer/2:
		in.filled = copy(in.request.smallBuf[:], left)
		in.buf = in.request.smallBuf[:]
		in.close()
	default:
		in.filled = copy(in.buf, left)
	}
	in.whole = 0
}

// rest returns the data after the last whole event.
func (in *eventBuffer) rest() []byte { return in.buf[:in.filled] }

// close returns the big buffer.
func (in *eventBuffer) close() {
	if in.big != nil {
		in.request.server.buffers.Put(in.big)
		in.big = nil
	}
}
