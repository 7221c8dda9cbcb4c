package airouting

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Offer is one orchestrator's offer to serve the table's model.
type Offer struct {
	// URI identifies it. Asked is the address that led to it.
	URI, Asked string
	// Warm says that the model is loaded there.
	Warm bool
	// Capacity is how many jobs it takes at once, 0 when unknown.
	Capacity int
	// Own says that it is a tutti node, which does not alter requests. Only these state what the model can
	// do: Features, its operations among them, and Context, the longest prompt and answer together, 0 for unknown.
	Own      bool
	Features inference.Features
	Context  inference.Tokens
	// Price is in wei per unit; nil is free. It is not changed.
	Price *big.Rat
	// Owner is the account whose stake counts, Stake its amount; both are zero off-chain. Score is
	// its performance between 0 and 1, if Scored.
	Owner core.Address
	Stake core.LPT
	// Registered says that Owner registered the address that led here. Otherwise only the offer
	// claims this owner, and nothing is held against it.
	Registered bool
	Score      float64
	Scored     bool
}

// Kind is the kind of node that a job needs.
type Kind int

// The kinds.
const (
	// AnyKind accepts every orchestrator.
	AnyKind Kind = iota
	// OwnFirst prefers a tutti orchestrator: in the existing network's form the request would lose
	// fields.
	OwnFirst
	// OwnOnly accepts no other: the existing network does not support the operation.
	OwnOnly
)

// Query is what one attempt of a job asks for.
type Query struct {
	// Affinity are rolling hashes of the prompt's prefix, the longest last.
	Affinity []uint64
	// Operation is what the request wants of the model.
	Operation inference.Operation
	// Needs are what the request asks of the model.
	Needs inference.Needs
	// SecondOpinion says that one orchestrator refused the job, and a second one has to
	// confirm Refusal: only one that has the model loaded and a free slot.
	SecondOpinion bool
	Refusal       Refusal
	// Tried are orchestrators that the job was sent to already.
	Tried []string
	Kind  Kind
	// Whole says that the answer is not a stream, so that its first byte measures another time.
	Whole bool
	// MaxPrice is in wei per unit; nil accepts any price. With AllowExpensive those above it are
	// used when there is no other.
	MaxPrice       *big.Rat
	AllowExpensive bool
	// Preferences are the client's; nil has none. Primary is the only orchestrator that may get the job,
	// where the client wants no other than the first; "" is any.
	Preferences *Preferences
	Primary     string
	// Client identifies the client that the job is for; "" where unknown. A client's own failed
	// jobs count as one failure for others, and it does not use an orchestrator that asked it to
	// come back later; see Lease.Busy.
	Client string
}

// Verdict is why there is no orchestrator for an attempt, or that there is.
type Verdict int

// The verdicts, from least to most informative.
const (
	// Picked: there is a lease.
	Picked Verdict = iota
	// Empty: no orchestrator offers the model.
	Empty
	// Excluded: the client's preferences leave none.
	Excluded
	// TooExpensiveForClient: all that the client's preferences leave cost more than it pays.
	TooExpensiveForClient
	// Unfit: none is of the kind that is needed, or its model cannot do the operation.
	Unfit
	// Lacking: none has the features that are needed.
	Lacking
	// TooExpensive: all cost too much.
	TooExpensive
	// BackingOff: the remaining ones asked this client to come back later.
	BackingOff
	// Tried: the job was sent to all of them.
	Tried
	// Resting: the remaining ones failed recently and are being probed by other jobs.
	Resting
)

// Outcome is how an attempt ended.
type Outcome int

// The outcomes.
const (
	// Served: the answer reached its end.
	Served Outcome = iota
	// Refused: it answered, and rejects this request. It is alive; 4xx answers never count against
	// an orchestrator.
	Refused
	// Full: it has no free slot.
	Full
	// Failed: it or the connection failed before the answer began, or was too late.
	Failed
	// Unreachable: no connection could be made.
	Unreachable
	// Broken: the answer broke off.
	Broken
	// Abandoned: the client left.
	Abandoned
)
