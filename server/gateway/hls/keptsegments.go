package hls

import "time"

// Limits bound what a Store keeps. Zero fields get defaults.
type Limits struct {
	// Watched is the number of segments in a playlist while the stream is played; default 12.
	Watched int
	// Unwatched is the number while it is not: enough to start playing; default 4.
	Unwatched int
	// StreamBytes bounds one stream, TotalBytes all of them; defaults 128 MB and 1 GB. The oldest
	// segments are dropped first.
	StreamBytes, TotalBytes int64
}

// The default memory limits. DefaultStreamBytes also bounds what may wait for an earlier segment.
const (
	DefaultStreamBytes = 128 << 20
	DefaultTotalBytes  = 1 << 30
)

func (l Limits) withDefaults() Limits {
	if l.Watched <= 0 {
		l.Watched = 12
	}
	if l.Unwatched <= 0 {
		l.Unwatched = 4
	}
	if l.StreamBytes <= 0 {
		l.StreamBytes = DefaultStreamBytes
	}
	if l.TotalBytes <= 0 {
		l.TotalBytes = DefaultTotalBytes
	}
	return l
}

const (
	// watchedFor is how long a playlist request counts as playback.
	watchedFor = time.Minute
	// keptUnlisted is how many segments stay available after they left the playlist, for players with an
	// older playlist.
	keptUnlisted = 1
)
