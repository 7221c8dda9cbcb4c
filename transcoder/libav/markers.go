package libav

// An H.264 decoder destroys the GPU's decoder with its frames at the end of the stream, and
// everything that was built on them has to be made again for the next segment. So the end is
// not signaled. Instead the segment's latest key frame is
// fed again and again, as a marker, and pushes the frames out that the decoder
// holds back to put them in order. The markers' own frames are thrown away; some
// come out only in the next segment.

// maxIdleMarkers bounds how many markers may bring nothing to light.
const maxIdleMarkers = 8

// markers counts what goes into a decoder and comes out of it, and says when a
// segment's frames are all there.
type markers struct {
	// turn numbers the segments, so that a marker of the one before is known.
	turn int64
	// fed and shown are the segment's own packets and frames; passed says that a
	// marker of this segment came out, and so everything before it.
	fed, shown int
	passed     bool
	// sent, and how many since the last frame of the segment.
	sent, idle int
}

// begin starts a segment.
func (m *markers) begin() { *m = markers{turn: m.turn + 1} }

// mark returns what this segment's markers carry.
func (m *markers) mark() int64 { return m.turn }

// frame takes note of a frame that came out and reports whether it is one of the
// segment's. Frames of markers are not.
func (m *markers) frame(mark int64) (own bool) {
	if mark != 0 {
		m.passed = m.passed || mark == m.turn
		return false
	}
	m.shown++
	m.idle = 0
	return true
}

// marker asks whether to send another one. It is right only after all packets.
func (m *markers) marker() bool {
	if m.complete() || m.idle >= maxIdleMarkers {
		return false
	}
	m.sent++
	m.idle++
	return true
}

// complete reports whether every frame of the segment is known to be out. A
// damaged packet gives none; a frame of two fields takes two.
func (m *markers) complete() bool { return m.passed || m.shown >= m.fed }
