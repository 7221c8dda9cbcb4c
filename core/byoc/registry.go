package byoc

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// maxCapabilities bounds the registered capabilities.
const maxCapabilities = 1024

// ErrFull: no further capability can be registered.
var ErrFull = errors.New("too many capabilities are registered")

// Registry holds the capabilities of a node, and counts the slots in use. Safe for concurrent use.
type Registry struct {
	mu sync.Mutex
	// Both are guarded by mu. used counts by name and outlives a registration: a capability that registers
	// again has no more slots for it.
	capabilities map[string]Registration
	used         map[string]int
	// idle is closed when no slot is in use; nil while it is not waited for.
	idle chan struct{}
}

// NewRegistry makes one without capabilities.
func NewRegistry() *Registry {
	return &Registry{capabilities: make(map[string]Registration), used: make(map[string]int)}
}

// Put registers a capability, in the place of one of the same name. The error is ErrFull.
func (r *Registry) Put(c Registration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.capabilities[c.Name]; !known && len(r.capabilities) >= maxCapabilities {
		return ErrFull
	}
	r.capabilities[c.Name] = c
	return nil
}

// Remove removes a capability, and reports whether there was one. Work in progress goes on.
func (r *Registry) Remove(name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.capabilities[name]
	delete(r.capabilities, name)
	return ok
}

// RemoveIf removes a capability if it is still at the address of c. It reports whether it was.
func (r *Registry) RemoveIf(c *Registration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, ok := r.capabilities[c.Name]
	if !ok || now.URL.String() != c.URL.String() || now.Token.Reveal() != c.Token.Reveal() {
		return false
	}
	delete(r.capabilities, c.Name)
	return true
}

// Find returns a capability and its free slots.
func (r *Registry) Find(name string) (c Registration, free int, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok = r.capabilities[name]
	return c, max(0, c.Capacity-r.used[name]), ok
}

// Registered are the registrations in the order of their names.
func (r *Registry) Registered() []Registration {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Registration, 0, len(r.capabilities))
	for _, c := range r.capabilities {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b Registration) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return all
}

// Slot is a slot of a capability in use.
type Slot struct {
	// Capability is the registration as it was when the slot was taken.
	Capability Registration
	registry   *Registry
	once       sync.Once
}

// Take takes a slot; it is nil when the capability is not registered or has none free. The caller must give it back.
func (r *Registry) Take(name string) *Slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, ok := r.capabilities[name]
	if !ok || r.used[name] >= c.Capacity {
		return nil
	}
	r.used[name]++
	return &Slot{Capability: c, registry: r}
}

// Give gives the slot back, once.
func (s *Slot) Give() {
	s.once.Do(func() {
		r, name := s.registry, s.Capability.Name
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.used[name]--; r.used[name] <= 0 {
			delete(r.used, name)
		}
		if len(r.used) == 0 && r.idle != nil {
			close(r.idle)
			r.idle = nil
		}
	})
}

// AwaitIdle waits until no slot is in use, or for ctx.
func (r *Registry) AwaitIdle(ctx context.Context) error {
	r.mu.Lock()
	if len(r.used) == 0 {
		r.mu.Unlock()
		return nil
	}
	if r.idle == nil {
		r.idle = make(chan struct{})
	}
	idle := r.idle
	r.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Used is the number of slots in use.
func (r *Registry) Used() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, used := range r.used {
		n += used
	}
	return n
}
