package airouting

import (
	"math/big"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Offer is one orchestrator's offer to serve the table's model.
type Offer struct {
	// URI is its identity. Asked is the address that led to it.
	URI, Asked string
	// Warm says that the model is loaded there.
	Warm bool
	// Capacity is how many jobs it takes at once, 0 when it does not tell.
	Capacity int
	// Own says that it is a node of our own kind, which takes every operation and
	// leaves requests as they are.
	Own bool
	// Price is in wei per unit; nil is free. It is not changed.
	Price *big.Rat
	// Owner is whose stake it stands on, Stake how much that is; both are zero
	// off-chain. Score is its performance between 0 and 1; it counts where Scored.
	Owner core.Address
	Stake core.LPT
	// Registered says that Owner registered the address that led here. Else the offer only says
	// that it is that one's, and nothing is held against it.
	Registered bool
	Score      float64
	Scored     bool
}

// Kind is a node's kind as a job needs it.
type Kind int

// The needs.
const (
	// AnyKind takes every orchestrator.
	AnyKind Kind = iota
	// OwnFirst takes one of our own kind while there is one: in the form of the
	// existing network the request would lose something.
	OwnFirst
	// OwnOnly takes no other: the existing network does not know the operation.
	OwnOnly
)

// Query is what one attempt of a job asks for.
type Query struct {
	// Affinity are rolling hashes of the prompt's beginning, the longest last.
	Affinity []uint64
	// Operation is what is asked of the model.
	Operation inference.Operation
	// Second says that one orchestrator refused the job, and another one is asked whether it
	// does too: only one that has the model loaded and room.
	Second bool
	// Tried are orchestrators that the job was at already.
	Tried []string
	Kind  Kind
	// Whole says that the answer comes at once and not as a stream, so that its
	// first byte tells another time.
	Whole bool
	// MaxPrice is in wei per unit; nil takes any price. With DearToo those above it
	// are taken where there is nobody else.
	MaxPrice *big.Rat
	DearToo  bool
	// Client is who causes the job, by what the gateway knows itself; "" where it does not
	// know. What a client's own jobs fail at counts for others as one failure, and it leaves
	// an orchestrator alone that asked it to come back later; see Lease.Busy.
	Client string
}

// Verdict says why there is no orchestrator for an attempt, or that there is.
type Verdict int

// The verdicts, the ones that say more first.
const (
	// Picked: there is a lease.
	Picked Verdict = iota
	// Empty: nobody offers the model.
	Empty
	// Unfit: nobody is of the kind that is needed.
	Unfit
	// Dear: everybody costs too much.
	Dear
	// Held: those that are left told this client to come back later.
	Held
	// Tried: the job was everywhere.
	Tried
	// Resting: those that are left failed lately and are being tried by others.
	Resting
)

// Outcome is how an attempt ended.
type Outcome int

// The outcomes.
const (
	// Served: the answer came to its end.
	Served Outcome = iota
	// Refused: it answered, and wants this request not or not so. It lives; 4xx
	// answers never count against an orchestrator.
	Refused
	// Full: it has no slot free.
	Full
	// Failed: it or the connection failed before the answer began, or was too late.
	Failed
	// Unreachable: no connection came about.
	Unreachable
	// Broken: the answer ended in the middle.
	Broken
	// Abandoned: the client left.
	Abandoned
)
