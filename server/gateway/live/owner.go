package live

import (
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/admission"
)

const (
	// maxUnchecked bounds the streams of an unchecked client, those that ended a moment ago apart, and maxEnding its
	// streams with those that were replaced and are not over.
	maxUnchecked = 4
	maxEnding    = 2 * maxUnchecked
	// forOthers is the fraction of a limit (one in so many) that is added for addresses with less than their share.
	forOthers = 4
	opPublish = "publish"
)

// identity is that of a client that publishes a stream, or asks for something of one.
type identity struct {
	// name is the same for all its requests: of its API key, this machine, or its address.
	name string
	// known: it has a key, or is this machine. claims: others must not take the streams that it publishes.
	known, claims bool
	// check checks its API key again; nil without a key.
	check apikeys.Check
	// from is its address if it was admitted because all clients are, and counts for its share of the streams.
	from netip.Prefix
}

// ownMachine is the name of requests of this machine.
const ownMachine = "machine"

// client is the party answerable for what is paid and not worked for: one that begins many streams is one client.
// Streams of this machine are of many publishers.
func (s *stream) client() string {
	if s.by.name == "" || s.by.name == ownMachine {
		return "stream " + s.id
	}
	return s.by.name
}

// unknown is what counts as the address of a request, the zero Prefix for this machine and the operator's known
// peers.
func unknown(r *http.Request) netip.Prefix {
	from, unknown := admission.Unknown(r.Context())
	if !unknown {
		return netip.Prefix{}
	}
	return from
}

// mayPublish decides about a publisher's request. Where a service admits streams it decides alone.
func (s *Server) mayPublish(r *http.Request, unknown netip.Prefix) (identity, error) {
	if s.o.Access != nil && s.o.Webhook == nil {
		if _, err := s.o.Access.Push(r); err != nil {
			return identity{}, err
		}
	}
	return s.clientOf(r, unknown), nil
}

// AsksService reports whether the operator's service decides about streams.
func (s *Server) AsksService() bool { return s.o.Webhook != nil }

// clientOf identifies the client of a request. Without rules for clients all are one.
func (s *Server) clientOf(r *http.Request, unknown netip.Prefix) identity {
	if s.o.Access == nil {
		return identity{}
	}
	key, machine := s.o.Access.Client(r)
	if key != "" {
		return identity{name: "key " + key, known: true, claims: true, check: s.o.Access.Recheck(r)}
	}
	asked := s.o.Webhook != nil
	if asked || !s.o.Access.Unchecked(key) {
		unknown = netip.Prefix{}
	}
	if machine && !unknown.IsValid() {
		// A media server there has publishers of all kinds; the service knows them.
		return identity{name: ownMachine, known: true, claims: !asked}
	}
	return identity{name: "address " + admission.NetworkOf(r.RemoteAddr).String(), from: unknown}
}

// errNotOwner is in all refusals because of a stream's owner.
var errNotOwner = errors.New("a live stream belongs to the client that publishes it, by its key or address")

// errOwned refuses clients in the streams of others.
var errOwned = fault.Wrap(fault.StreamDenied, "use live stream", errNotOwner)

// taken is the refusal of a publisher that does not speak HTTP.
func taken(err error) error {
	if errors.Is(err, errNotOwner) {
		return fault.Wrap(fault.PublishTaken, opPublish, errNotOwner)
	}
	return err
}

// mayUse reports whether a client may change a stream and read its status: its publisher, and, for one that no client
// claims, this machine and the keys.
func (s *Server) mayUse(st *stream, by identity) bool {
	return st.by.name == by.name || !st.by.claims && by.known
}

// mayReplace reports whether a publisher may take a place. Where a service admits streams it knows publishers that
// come again from another address.
func (s *Server) mayReplace(old *stream, by identity) bool {
	return old.by.name == by.name || !old.by.claims && (by.claims || s.o.Webhook != nil)
}

// claimLocked refuses a stream whose name or id is that of another client's running stream, with the fault
// StreamDenied. The caller holds s.mu.
func (s *Server) claimLocked(st *stream) error {
	for _, other := range s.streams {
		switch {
		case other.over():
		case other.name == st.name && !s.mayReplace(other, st.by), other.name != st.name && other.sharesID(st) &&
			!st.named && !other.yields(st):
			return fault.Wrap(fault.StreamDenied, opPublish, errNotOwner)
		}
	}
	return nil
}

// sharesID reports whether two streams have one id. That of a planned stream is for the log alone.
func (s *stream) sharesID(other *stream) bool {
	return s.id == other.id && s.plan == nil && other.plan == nil
}

// yields reports whether another stream may have the same id: heartbeats and the status name streams by it.
func (s *stream) yields(other *stream) bool {
	return s.by.name == other.by.name || !s.by.claims && other.by.claims
}

// replaceLocked ends the streams whose name or id a publisher takes. The caller holds s.mu.
func (s *Server) replaceLocked(st *stream) {
	for _, other := range s.streams {
		if other.name == st.name || other.sharesID(st) && !other.over() && !other.by.claims && st.by.claims {
			other.stop(errReplaced)
		}
	}
}

// uncheckedSlots count the streams of unchecked clients until they are over, also those that were replaced.
type uncheckedSlots struct {
	starts startTimes
	shares *admission.Shares
	by     map[netip.Prefix]int
}

func newUncheckedSlots(limit int) uncheckedSlots {
	return uncheckedSlots{shares: shares(limit), by: make(map[netip.Prefix]int)}
}

// shares bounds what unchecked clients have: one address up to limit, and others a little more.
func shares(limit int) *admission.Shares {
	return admission.NewShares(limit, limit+max(1, limit/forOthers))
}

// takeSlotLocked takes a slot for a stream, if its publisher may have one more. Unchecked clients have slots of their
// own. A key may take all others; a few more are for keys with few streams. The caller holds s.mu.
func (s *Server) takeSlotLocked(st *stream) error {
	from, all, own := st.by.from, 0, 0
	limit, replaces := s.o.Limits.Streams, false
	more := max(1, limit/forOthers)
	for _, other := range s.streams {
		switch {
		case other.over():
		case other.name == st.name:
			replaces = true // it has a slot already
		case !other.by.from.IsValid():
			all++
			if other.by.name == st.by.name {
				own++
			}
		case other.by.from == from:
			own++
		}
	}
	switch {
	case !from.IsValid() && (all < limit || all < limit+more && (own < more || replaces)):
		return nil
	case !from.IsValid():
		return fault.New(fault.StreamsFull, opPublish, "there are too many live streams")
	case own >= maxUnchecked || s.slots.by[from] >= maxEnding:
		return fault.New(fault.AddressBusy, opPublish, "there are too many live streams of this address")
	case !s.slots.starts.allow(from, s.o.Now()):
		return fault.New(fault.AddressBusy, opPublish, "clients without a key begin live streams too often")
	case !s.slots.shares.Enter(from):
		return fault.New(fault.StreamsFull, opPublish, "there are too many live streams of clients without a key")
	}
	s.slots.by[from]++
	return nil
}

// release gives the slot of a stream back that is over.
func (s *Server) release(st *stream) {
	from := st.by.from
	if !from.IsValid() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots.shares.Leave(from)
	if s.slots.by[from]--; s.slots.by[from] == 0 {
		delete(s.slots.by, from)
	}
}

// forgetLocked forgets streams that ended a while ago, and earlier those of a publisher, and of all, that are too many
// to be remembered. The caller holds s.mu.
func (s *Server) forgetLocked(by identity) {
	forgotten := s.o.Now().Add(-s.o.Limits.Remember)
	for name, old := range s.streams {
		if old.endedBefore(forgotten) {
			delete(s.streams, name)
		}
	}
	if by.from.IsValid() {
		s.forgetOldestLocked(maxUnchecked, func(st *stream) bool { return st.by.from == by.from })
	}
	most := 2 * s.o.Limits.Streams
	s.forgetOldestLocked(most, func(st *stream) bool { return st.by.from.IsValid() })
	s.forgetOldestLocked(most, func(st *stream) bool { return !st.by.from.IsValid() })
}

// forgetOldestLocked forgets the streams of a kind that ended first, until fewer than most are remembered.
func (s *Server) forgetOldestLocked(most int, kind func(*stream) bool) {
	for {
		ended, oldest, at := 0, "", time.Time{}
		for name, st := range s.streams {
			end := st.end()
			if end.IsZero() || !kind(st) {
				continue
			}
			if ended++; oldest == "" || end.Before(at) {
				oldest, at = name, end
			}
		}
		if ended < most {
			return
		}
		delete(s.streams, oldest)
	}
}
