package mediafile

// Keys says which frames to force to key frames: the first one, and the first at
// or after each interval since the last forced one.
type Keys struct {
	// Interval in ticks; 0 forces the first frame only.
	Interval int64

	last    int64
	started bool
}

// Force reports whether the frame at t has to be a key frame.
func (k *Keys) Force(t int64) bool {
	if k.started && (k.Interval <= 0 || t < k.last+k.Interval) {
		return false
	}
	k.last, k.started = t, true
	return true
}
