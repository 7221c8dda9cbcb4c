package orchestrate

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// sessionUploads is how many bodies of one session are received at once: more than
	// may wait to be transcoded.
	sessionUploads = 8
	// firstUploads is how many are of one party, in sessions that had no segment
	// transcoded yet: gateways that come back have a body in many sessions at once.
	firstUploads = 128
	// pixelsPerByte is how many paid pixels pay for a byte of the body as well, while it
	// is received. Sources have fewer bytes by far.
	pixelsPerByte = 8
)

// uploads counts the bodies that are being received: until its hash is known a body is
// memory for a claim. Its methods may be called at the same time.
type uploads struct {
	mu        sync.Mutex
	bySession map[core.SessionID]int // guarded by mu
	first     map[string]int         // by party; guarded by mu
}

// receiving is one body; end ends it.
type receiving struct {
	of      *uploads
	session core.SessionID
	// party is "" where the session has had a segment transcoded.
	party string
	over  sync.Once
}

// begin counts a body. The fault is GatewayUploadsFull.
func (u *uploads) begin(s *session, party string) (*receiving, error) {
	const op = "receive segment"
	r := &receiving{of: u, session: s.id, party: party}
	if s.worked.Load() {
		r.party = ""
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.bySession[s.id] >= sessionUploads:
		return nil, fault.New(fault.GatewayUploadsFull, op, "of this session")
	case r.party != "" && u.first[r.party] >= firstUploads:
		return nil, fault.New(fault.GatewayUploadsFull, op, "of new sessions")
	case u.bySession == nil:
		u.bySession, u.first = make(map[core.SessionID]int), make(map[string]int)
	}
	u.bySession[s.id]++
	if r.party != "" {
		u.first[r.party]++
	}
	return r, nil
}

// end says that the body is there, or will not come. It may be called again, and for no
// body.
func (r *receiving) end() {
	if r == nil {
		return
	}
	r.over.Do(func() {
		r.of.mu.Lock()
		defer r.of.mu.Unlock()
		decrement(r.of.bySession, r.session)
		if r.party != "" {
			decrement(r.of.first, r.party)
		}
	})
}

func decrement[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}

// Party is held to account for the memory of the segment's body.
func (g *Segment) Party() string { return g.o.party(&g.req) }

// PaidBytes is how many bytes of the body its payment stands for; what is beyond them
// counts as unpaid until its hash is known to be right.
func (g *Segment) PaidBytes() int64 {
	if !g.priced {
		return 0
	}
	return g.estimate / pixelsPerByte
}
