package orchestrate

import (
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
)

// Admitter decides which sessions the devices can take; transcoder/pool implements it.
// Its methods are called with the session table locked: they must not block or call back.
type Admitter interface {
	// Admit is called for every new session, before its first segment. The error is a
	// *fault.Fault, usually OrchestratorCapped.
	Admit(s core.SessionRequest) error
	// Usage is the devices' present number of sessions and their limit.
	Usage() Usage
	// Capped is the refusal of a session beyond the limit of Usage: an OrchestratorCapped
	// that names the bound.
	Capped() *fault.Fault
}

// Bound names the resource that limits the sessions. It is in the error chain of an
// OrchestratorCapped whose bound is known.
type Bound string

// The bounds.
const (
	ByOption   Bound = "-maxSessions"
	BySessions Bound = "sessions of a device"
	ByEncoders Bound = "encoder sessions"
	ByMemory   Bound = "GPU memory"
	ByPace     Bound = "pace"
)

// Error makes a Bound usable as the cause of a fault.
func (b Bound) Error() string { return "bound by " + string(b) }

// Usage is the number of sessions and their limit. Limit 0 means no fixed limit.
type Usage struct {
	Sessions, Limit int
	// Refusal is why no session is admitted at all, nil if sessions are: no device is ready,
	// no ready device has capacity for a single session, or the node stops.
	Refusal *fault.Fault
}

// Full reports whether no further session is admitted.
func (u Usage) Full() bool { return u.Refusal != nil || u.Limit > 0 && u.Sessions >= u.Limit }

// ErrUnconfirmed is in the error chain of a Transcoder's error that blames the segment on
// the report of a single remote transcoder. That transcoder may be faulty, so the gateway
// is not penalized.
var ErrUnconfirmed = errors.New("no other transcoder was asked")

// String is "10 of 10 in use".
func (u Usage) String() string { return fmt.Sprintf("%d of %d in use", u.Sessions, u.Limit) }

// Signatures authenticates requests and signs results. It is nil off-chain: then every
// request is accepted, and results are not signed.
type Signatures interface {
	// Address is the one whose key signs results.
	Address() core.Address
	// CheckRequest checks that sig is address's signature of a request for an offer.
	CheckRequest(address, sig []byte) error
	// CheckSegment checks that the segment or AI job is signed by the sender of its payment.
	CheckSegment(req *SegmentRequest) error
	// CheckText checks that sig is address's signature of a text.
	CheckText(address core.Address, text, sig []byte) error
	// SignRenditions signs the hashes of the renditions of one segment, in profile order.
	SignRenditions(a signature.Algorithm, renditions []core.Rendition) ([]byte, error)
	// SignPing signs the value of a ping, which any peer chooses. The fault PingRefused is
	// returned for a value that could be mistaken for another signed message.
	SignPing(value []byte) ([]byte, error)
}
