package byoc

import (
	"context"
	"errors"
	"maps"
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
	// served are the servers that did a client's work, by the capability's name. It outlives a registration, and holds
	// at most maxCapabilities. Guarded by mu.
	served map[string]served
	// idle is closed when no slot is in use; nil while it is not waited for.
	idle chan struct{}
}

// server is a capability's server, with the token that it registered with.
type server struct{ url, token string }

// served is a server that did a client's work. open: it did not refuse a request without work.
type served struct {
	server
	open bool
}

func serverOf(c *Registration) server { return server{c.URL.String(), c.Token.Reveal()} }

// NewRegistry makes one without capabilities.
func NewRegistry() *Registry {
	return &Registry{capabilities: make(map[string]Registration), used: make(map[string]int),
		served: make(map[string]served)}
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
	if !ok || serverOf(&now) != serverOf(c) {
		return false
	}
	delete(r.capabilities, c.Name)
	return true
}

// Serves records that the server of c did a client's work: it takes its token. It reports whether this is new.
func (r *Registry) Serves(c *Registration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.served[c.Name]
	if ok && known.server == serverOf(c) {
		return false
	}
	if !ok && len(r.served) >= maxCapabilities {
		maps.DeleteFunc(r.served, func(name string, _ served) bool {
			_, registered := r.capabilities[name]
			return !registered
		})
		if len(r.served) >= maxCapabilities {
			return false
		}
	}
	r.served[c.Name] = served{server: serverOf(c)}
	return true
}

// SetOpen records that the server of c, which did a client's work, does not refuse a request without work.
func (r *Registry) SetOpen(c *Registration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.served[c.Name]; ok && known.server == serverOf(c) {
		r.served[c.Name] = served{known.server, true}
	}
}

// MayRefuse reports whether a request without work that the server of c refuses says that it refuses its token:
// not if the server may always refuse such requests.
func (r *Registry) MayRefuse(c *Registration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.served[c.Name]
	return !ok || known.server != serverOf(c) || known.open
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
