package orchestrate

import (
	"sync"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

const (
	// maxSessionUploads is how many bodies of one session are received at once: more than
	// may wait to be transcoded.
	maxSessionUploads = 8
	// maxNewSessionUploads is the same for one party in all sessions without a transcoded
	// segment: a gateway that reconnects uploads to many sessions at once.
	maxNewSessionUploads = 128
	// pixelsPerByte is how many paid pixels cover one byte of the body while it is received.
	// Sources have far fewer bytes.
	pixelsPerByte = 8
)

// uploads counts the bodies that are being received: until its hash is checked, a body takes
// memory without proof. It is safe for concurrent use.
type uploads struct {
	mu                sync.Mutex
	bySession         map[core.SessionID]int // guarded by mu
	newSessionUploads map[string]int         // by party; guarded by mu
}

// upload is one body that is being received.
type upload struct {
	uploads *uploads
	session core.SessionID
	// party is "" if the session has had a segment transcoded.
	party string
	once  sync.Once
}

// begin counts a body. The fault is GatewayUploadsFull.
func (u *uploads) begin(s *session, party string) (*upload, error) {
	const op = "receive segment"
	r := &upload{uploads: u, session: s.id, party: party}
	if s.transcoded.Load() {
		r.party = ""
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.bySession[s.id] >= maxSessionUploads:
		return nil, fault.New(fault.GatewayUploadsFull, op, "of this session")
	case r.party != "" && u.newSessionUploads[r.party] >= maxNewSessionUploads:
		return nil, fault.New(fault.GatewayUploadsFull, op, "of new sessions")
	case u.bySession == nil:
		u.bySession, u.newSessionUploads = make(map[core.SessionID]int), make(map[string]int)
	}
	u.bySession[s.id]++
	if r.party != "" {
		u.newSessionUploads[r.party]++
	}
	return r, nil
}

// end is called when the body was received or will not be. It is idempotent and accepts nil.
func (r *upload) end() {
	if r == nil {
		return
	}
	r.once.Do(func() {
		r.uploads.mu.Lock()
		defer r.uploads.mu.Unlock()
		decrement(r.uploads.bySession, r.session)
		if r.party != "" {
			decrement(r.uploads.newSessionUploads, r.party)
		}
	})
}

func decrement[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] <= 0 {
		delete(counts, key)
	}
}

// Party is accountable for the memory of the segment's body.
func (g *Segment) Party() string { return g.o.party(&g.req) }

// PaidBytes returns how many bytes of the body the payment covers. Further bytes count as unpaid
// until the hash is checked.
func (g *Segment) PaidBytes() int64 {
	if !g.priced {
		return 0
	}
	return g.estimate / pixelsPerByte
}
