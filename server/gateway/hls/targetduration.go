package hls

import "time"

// setTarget sets the target duration of the stream's playlists after a segment of duration d. It should never change:
// it is the first segment's, which also covers others that are no longer when rounded.
func (st *stream) setTarget(d time.Duration) {
	if st.target == 0 || d.Round(time.Second) > target(st.target) {
		st.target = d
	}
}

// target rounds a duration up to whole seconds for playlists.
func target(d time.Duration) time.Duration {
	return max(time.Second, (d + time.Second - 1).Truncate(time.Second))
}
