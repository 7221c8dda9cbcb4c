package trickle

import (
	"cmp"
	"time"
)

// ringSize is how many segments a channel keeps.
const ringSize = 5

// Limits bound what channels take. A zero field is its default.
type Limits struct {
	// SegmentBytes bounds one segment, ChannelBytes the kept segments of a channel, HubBytes those of
	// all channels. A segment over its bound is refused; a channel over its bound loses its oldest
	// segments.
	SegmentBytes, ChannelBytes, HubBytes int64
	// Readers bounds the requests that read one channel at a time.
	Readers int
	// Idle is how long after its last segment began a channel is closed.
	Idle time.Duration
	// Stall is how long a reader may take nothing of what there is for it.
	Stall time.Duration
	// Interim is how often a publisher that connected in advance gets an interim answer.
	Interim time.Duration
}

// DefaultHubBytes is the memory limit of all channels.
const DefaultHubBytes = 2 << 30

func (l Limits) complete() Limits {
	l.HubBytes = cmp.Or(l.HubBytes, DefaultHubBytes)
	// No channel fills the memory of all others, on a small machine either.
	l.ChannelBytes = cmp.Or(l.ChannelBytes, min(128<<20, l.HubBytes/4))
	l.SegmentBytes = cmp.Or(l.SegmentBytes, min(64<<20, l.ChannelBytes/2))
	l.Readers = cmp.Or(l.Readers, 256)
	l.Idle = cmp.Or(l.Idle, 5*time.Minute)
	l.Stall = cmp.Or(l.Stall, 30*time.Second)
	l.Interim = cmp.Or(l.Interim, 10*time.Second)
	return l
}
