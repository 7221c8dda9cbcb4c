package mediafile

// Timeline repairs the times of decoded frames, in the order the decoder delivers
// them, so that every frame has a time and times always grow. A Line serves one
// segment: nothing is remembered from the segment before.
type Timeline struct {
	// Nominal is the usual distance of two frames in ticks, 0 when unknown.
	Nominal int64

	last, lastLength int64
	started          bool
}

// Next returns the frame's time and its length, both in ticks. The arguments are
// its own time, the decoder's best guess and its own length; each may be unknown
// (None, None and 0).
func (l *Timeline) Next(pts, guess, length int64) (time, span int64) {
	if length <= 0 {
		length = max(l.Nominal, 1)
	}
	length = min(length, far)
	t := pts
	if t == NoTime {
		t = guess
	}
	switch {
	case t == NoTime && l.started:
		t = l.last + l.lastLength
	case t == NoTime:
		t = 0
	}
	t = min(max(t, -far), far)
	if l.started && t <= l.last {
		t = l.last + 1
	}
	l.last, l.lastLength, l.started = t, length, true
	return t, length
}
