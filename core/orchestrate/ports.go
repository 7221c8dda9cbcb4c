package orchestrate

import (
	"errors"
	"fmt"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// Admitter says what the devices can still take. transcoder/pool is behind it.
// Its methods are called with the session table locked: they answer at once
// and do not call back.
type Admitter interface {
	// Admit is asked once for every new session, before its first segment. The
	// error is a *fault.Fault, OrchestratorCapped as a rule.
	Admit(s core.SessionRequest) error
	// Usage is what the devices carry now.
	Usage() Usage
	// Capped is the refusal of a session beyond the limit of Usage: an
	// OrchestratorCapped that names the bound which makes the limit.
	Capped() *fault.Fault
}

// Bound is what keeps another session out. It is in the chain of an OrchestratorCapped
// whose bound is known.
type Bound string

// The bounds.
const (
	ByOption   Bound = "-maxSessions"
	BySessions Bound = "sessions of a device"
	ByEncoders Bound = "encoder sessions"
	ByMemory   Bound = "card memory"
	ByPace     Bound = "pace"
)

// Error makes a Bound the cause of a fault.
func (b Bound) Error() string { return "bound by " + string(b) }

// Usage is how many sessions there are and how many there may be. Limit 0 means that
// there is no such number, unless a Refusal says that there may be none.
type Usage struct {
	Sessions, Limit int
	// Refusal is why no session may come at all, nil when they may: no device is ready,
	// none that is has room for a single one, or the node stops.
	Refusal *fault.Fault
}

// Full reports whether another session would be one too many.
func (u Usage) Full() bool { return u.Refusal != nil || u.Limit > 0 && u.Sessions >= u.Limit }

// ErrOneOpinion is in the chain of a Transcoder's error that finds a segment at fault
// when one transcoder on another machine alone said so: it may be that one which is
// broken, and nobody is held to account for it.
var ErrOneOpinion = errors.New("no other transcoder was asked")

// String is the usage in words, "10 of 10 in use".
func (u Usage) String() string { return fmt.Sprintf("%d of %d in use", u.Sessions, u.Limit) }

// Signatures checks who sent a request and signs results. A node that runs
// off-chain has none: it accepts anything and leaves its own signatures empty.
type Signatures interface {
	// Address is the one whose key signs results.
	Address() core.Address
	// CheckRequest says whether sig is address's signature over a request for an
	// offer.
	CheckRequest(address, sig []byte) error
	// CheckSegment says whether the segment, or AI job, is signed by the sender of
	// its payment.
	CheckSegment(req *SegmentRequest) error
	// SignRenditions signs the renditions of one segment, in profile order.
	SignRenditions(renditions []core.Rendition) ([]byte, error)
	// SignPing signs the value of a ping, which any peer chooses. A value that could
	// stand for anything else is the fault PingRefused.
	SignPing(value []byte) ([]byte, error)
}
