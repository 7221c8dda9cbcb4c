package trickle

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// sweepEvery is how often idle channels are looked for.
const sweepEvery = time.Minute

// Hub holds the channels of a node. Safe for concurrent use.
type Hub struct {
	limits Limits
	now    func() time.Time
	bytes  atomic.Int64
	// buffers are for reading bodies.
	buffers sync.Pool

	mu       sync.RWMutex
	channels map[string]*Channel
}

// NewHub makes a hub without channels.
func NewHub(limits Limits, now func() time.Time) *Hub {
	return &Hub{limits: limits.complete(), now: now, channels: make(map[string]*Channel)}
}

// Open returns the channel of a name, made for an owner if it is not there. An existing one keeps its type.
func (h *Hub) Open(owner, name, mime string) *Channel {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.channels[name]
	if c == nil {
		c = &Channel{name: name, mime: mime, owner: owner, limits: h.limits, hub: h, now: h.now, startedAt: h.now(),
			done: make(chan struct{})}
		h.channels[name] = c
	}
	return c
}

// Restore makes an owner's channel of another process, whose next segment has a number. What it kept is gone.
func (h *Hub) Restore(owner, name, mime string, next int64) *Channel {
	c := h.Open(owner, name, mime)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = max(c.next, next)
	return c
}

// Channel is the open channel of a name, or nil.
func (h *Hub) Channel(name string) *Channel {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.channels[name]
}

// Close closes and forgets a channel, and reports whether there was one.
func (h *Hub) Close(name string) bool {
	h.mu.Lock()
	c := h.channels[name]
	delete(h.channels, name)
	h.mu.Unlock()
	return c != nil && c.close()
}

// reserve counts n more bytes if they fit. Channels write at the same time, so the limit is checked as it is counted:
// bytes that do not fit are never counted, and keep no others out.
func (h *Hub) reserve(n int64) bool {
	for {
		kept := h.bytes.Load()
		if kept+n > h.limits.HubBytes {
			return false
		}
		if h.bytes.CompareAndSwap(kept, kept+n) {
			return true
		}
	}
}

// spare drops the oldest segments of the owner with most, from its largest channels, while n more bytes for a
// channel do not fit and its owner would still have less.
func (h *Hub) spare(c *Channel, n int64) {
	for h.bytes.Load()+n > h.limits.HubBytes {
		largest, most, own := h.largest(c.owner)
		if largest == nil || most <= own+n || !largest.dropOldest() {
			return
		}
	}
}

// largest is the largest channel of the owner whose channels keep most, with what these and those of another
// owner keep.
func (h *Hub) largest(other string) (largest *Channel, most, own int64) {
	h.mu.RLock()
	all := slices.Collect(maps.Values(h.channels))
	h.mu.RUnlock()
	type owner struct {
		kept, top int64
		largest   *Channel
	}
	owners := make(map[string]owner)
	for _, c := range all {
		o, kept := owners[c.owner], c.kept()
		o.kept += kept
		if kept > o.top {
			o.largest, o.top = c, kept
		}
		owners[c.owner] = o
		if o.kept > most {
			largest, most = o.largest, o.kept
		}
	}
	return largest, most, owners[other].kept
}

// Len is the number of channels, Bytes what they keep.
func (h *Hub) Len() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.channels)
}

// Bytes is the size of what all channels keep.
func (h *Hub) Bytes() int64 { return h.bytes.Load() }

// Run closes idle channels until ctx ends, and then all of them.
func (h *Hub) Run(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			h.Sweep()
		case <-ctx.Done():
			h.closeAll()
			return
		}
	}
}

// Sweep closes the channels whose last segment began too long ago. Names that begin with an underscore
// are spared.
func (h *Hub) Sweep() {
	now := h.now()
	h.mu.RLock()
	all := slices.Collect(maps.Values(h.channels))
	h.mu.RUnlock()
	for _, c := range all {
		if !strings.HasPrefix(c.name, "_") && now.Sub(c.StartedAt()) >= h.limits.Idle {
			h.Close(c.name)
		}
	}
}

func (h *Hub) closeAll() {
	h.mu.Lock()
	all := h.channels
	h.channels = make(map[string]*Channel)
	h.mu.Unlock()
	for _, c := range all {
		c.close()
	}
}
