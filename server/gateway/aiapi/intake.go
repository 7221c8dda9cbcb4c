package aiapi

// intake collects a stream's bytes until they are whole events. It begins with
// the exchange's small buffer, borrows a big one while much comes at once, and
// gives it back when the stream is slow again.
type intake struct {
	x   *exchange
	buf []byte
	big *[bigBuffer]byte
	// filled is what is in buf, whole the part of it that has been handed out.
	filled, whole int
}

// room is where the next bytes go. It is never empty.
func (in *intake) room() []byte { return in.buf[in.filled:] }

// searchFrom is where the end of an event may begin that new bytes complete, after so many bytes
// in which there is none.
func searchFrom(filled int) int { return max(0, filled-longestEnd+1) }

// took notes n bytes that were read into room, and returns what may be passed on:
// whole events, or all there is when the biggest buffer is full of one.
//
// Only the new bytes are searched: what was there before has no end of an event, or it would
// have been handed out, and an orchestrator may send an event byte by byte.
func (in *intake) took(n int) []byte {
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

// keep moves what was not handed out to the front of a buffer that fits the
// stream's pace.
func (in *intake) keep() {
	full := in.filled == len(in.buf)
	left := in.buf[in.whole:in.filled]
	switch {
	case full && in.big == nil:
		in.big = in.x.f.buffers.Get().(*[bigBuffer]byte)
		in.filled = copy(in.big[:], left)
		in.buf = in.big[:]
	case in.big != nil && in.filled < smallBuffer/2:
		in.filled = copy(in.x.small[:], left)
		in.buf = in.x.small[:]
		in.close()
	default:
		in.filled = copy(in.buf, left)
	}
	in.whole = 0
}

// rest is what came after the last whole event.
func (in *intake) rest() []byte { return in.buf[:in.filled] }

// close gives the big buffer back.
func (in *intake) close() {
	if in.big != nil {
		in.x.f.buffers.Put(in.big)
		in.big = nil
	}
}
