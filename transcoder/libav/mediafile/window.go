package mediafile

// Window is the part of a segment that a clip keeps, in ticks relative to the
// segment's first frame.
type Window struct {
	// From is where it begins; times are moved so that it becomes 0.
	From int64
	// To is where it ends, 0 for an open end.
	To int64
	// EndInside keeps a frame that sits exactly on To. On a fixed frame rate the
	// grid point at the end is wanted; where the source's frames are kept as they
	// are, a frame that begins at the end is outside.
	EndInside bool
}

// Keeps reports whether a frame at t stays, when the segment begins at first.
func (w Window) Keeps(t, first int64) bool {
	at := t - first
	switch {
	case at < w.From:
		return false
	case w.To <= 0 || at < w.To:
		return true
	}
	return w.EndInside && at == w.To
}

// Past reports whether a frame at t and all that follow are beyond the end.
func (w Window) Past(t, first int64) bool { return w.To > 0 && t-first > w.To }

// Shift returns what to subtract from kept times: with a beginning the kept part
// starts at 0, without one times stay as they are.
func (w Window) Shift(first int64) int64 {
	if w.From <= 0 {
		return 0
	}
	return first + w.From
}
