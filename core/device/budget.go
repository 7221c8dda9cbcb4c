package device

import (
	"maps"
	"math"
	"slices"
	"sync"
)

// Owners of device memory.
const (
	// Transcoding is what the media workers may use together.
	Transcoding = "transcoding"
	// Models is what AI models need that stay loaded.
	Models = "AI models"
)

// Unlimited is what a device has whose memory is not known.
const Unlimited = Bytes(math.MaxInt64)

// Budget divides the memory of each GPU among owners, so that transcoding and AI
// models on one GPU leave each other what they need. It measures nothing: what is
// set aside need not be in use. It is safe for concurrent use.
type Budget struct {
	mu       sync.Mutex
	total    map[UUID]Bytes            // guarded by mu; none or 0 is unknown
	reserved map[UUID]map[string]Bytes // guarded by mu
	changed  chan struct{}             // closed at the next change; guarded by mu
}

// NewBudget makes one that knows no devices yet.
func NewBudget() *Budget {
	return &Budget{total: make(map[UUID]Bytes), reserved: make(map[UUID]map[string]Bytes), changed: make(chan struct{})}
}

// Furnish tells how much memory devices have. What was set aside stays so, even
// where it is more than there is.
func (b *Budget) Furnish(devices []GPU) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range devices {
		if b.total[d.UUID] != d.Memory {
			b.total[d.UUID] = d.Memory
			b.touch()
		}
	}
}

// Reserve sets the owner's part of a device to n, in place of what it had there,
// and reports whether there was memory besides the others' parts; else the owner keeps
// what it had. A smaller part always fits, and 0 gives all back.
func (b *Budget) Reserve(id UUID, owner string, n Bytes) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	n = max(n, 0)
	had := b.reserved[id][owner]
	if n > had && n > b.available(id, owner) {
		return false
	}
	if n == had {
		return true
	}
	if b.reserved[id] == nil {
		b.reserved[id] = make(map[string]Bytes)
	}
	b.reserved[id][owner] = n
	if n == 0 {
		delete(b.reserved[id], owner)
	}
	b.touch()
	return true
}

// Reserved returns an owner's part of a device.
func (b *Budget) Reserved(id UUID, owner string) Bytes {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reserved[id][owner]
}

// Available returns the most that the owner may have of a device: all that others have
// not set aside. Unlimited where the device's memory is not known.
func (b *Budget) Available(id UUID, owner string) Bytes {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.available(id, owner)
}

// Free returns what no owner has set aside of a device, Unlimited where its memory is not
// known.
func (b *Budget) Free(id UUID) Bytes { return b.Available(id, "") }

// Owners returns the part of a device that each owner has.
func (b *Budget) Owners(id UUID) map[string]Bytes {
	b.mu.Lock()
	defer b.mu.Unlock()
	return maps.Clone(b.reserved[id])
}

// Changed is closed at the next change.
func (b *Budget) Changed() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.changed
}

// available: the caller holds mu.
func (b *Budget) available(id UUID, owner string) Bytes {
	left := b.total[id]
	if left <= 0 {
		return Unlimited
	}
	for other, n := range b.reserved[id] {
		if other == owner {
			continue
		}
		// What was set aside while the device was unknown may be more than it has.
		if left -= min(n, left); left == 0 {
			return 0
		}
	}
	return left
}

// touch: the caller holds mu.
func (b *Budget) touch() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// For returns the devices with as much memory as the owner may have of each, one byte
// where there is none: 0 is memory that is not known, and stays so.
func (b *Budget) For(owner string, devices []GPU) []GPU {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := slices.Clone(devices)
	for i, d := range out {
		if d.Memory > 0 {
			out[i].Memory = max(1, min(d.Memory, b.available(d.UUID, owner)))
		}
	}
	return out
}
