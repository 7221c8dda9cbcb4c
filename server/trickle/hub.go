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

// Open returns the channel of a name, made if it is not there. An existing one keeps its type.
func (h *Hub) Open(name, mime string) *Channel {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.channels[name]
	if c == nil {
		c = &Channel{name: name, mime: mime, limits: h.limits, hubBytes: &h.bytes, buffers: &h.buffers, now: h.now,
			startedAt: h.now()}
		h.channels[name] = c
	}
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
