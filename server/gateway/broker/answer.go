package broker

import (
	"math/big"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Hint is information about a job for the choice of an orchestrator.
type Hint struct {
	// Affinity are rolling hashes of the prompt's prefix, the longest last. The orchestrator that
	// answered the longest known one has it cached.
	Affinity []uint64
	// KeyName is the name of the client's API key, for the debug log.
	KeyName string
	// NeedsOwnNode says that the request loses something in the existing network's form (see
	// pipeline.Request.Plain). It then goes to a tutti node if there is one.
	NeedsOwnNode bool
	// Preferences are the client's wishes about orchestrators; nil has none.
	Preferences *airouting.Preferences
}

// Answer is an orchestrator's answer that has begun: at least one byte arrived, and nothing is
// retried any more. The receiver calls Deliver and then closes Body. A failed Read returns a fault
// (Canceled, DeadlineExceeded, CompletionBroken).
type Answer struct {
	inference.Reply
	// Orchestrator is the service URI of the orchestrator.
	Orchestrator string
	// Peer is the address that the answer came from; invalid if that is no IP address.
	Peer netip.Addr
	// Price is in wei per unit; nil is free.
	Price *big.Rat
	// Tries is the number of orchestrators asked.
	Tries int
	// Hedged: a second orchestrator was asked because the first one was late.
	Hedged bool
	// Billed is how many units the orchestrator charges, however the answer ends; 0 where it is
	// free.
	Billed inference.Units
	// Queue is the time until this orchestrator was asked: discovery and failed tries.
	Queue time.Duration
	// Node is the version of a tutti orchestrator, "" for one of the existing network,
	// whose events may need another form.
	Node string
	// Delivered, if not nil, receives what the answer delivered. This decides what counts as work
	// for the payment, and against the orchestrator. See Deliver.
	Delivered func(inference.Delivery)
	// Allowed, if not nil, receives how much longer the answer may take. See Allow.
	Allowed func(time.Duration)
	// null: the body is null, which means a refused request.
	null bool
}

// Allow sets how much longer the answer may take from now on.
func (a *Answer) Allow(d time.Duration) {
	if a.Allowed != nil {
		a.Allowed(d)
	}
}

// Deliver reports what the answer delivered, before Body is closed. Further calls do nothing.
func (a *Answer) Deliver(d inference.Delivery) {
	if a.Delivered != nil {
		a.Delivered(d)
	}
}

// Billed returns how many units an orchestrator may charge for a job that failed because its client left
// or its request was wrong. 0 is none.
func Billed(err error) inference.Units { return upstream.Billed(err) }
