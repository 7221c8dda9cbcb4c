package broker

import (
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Hint is what the choice of an orchestrator may look at beside the job.
type Hint struct {
	// Affinity are rolling hashes of the prompt's beginning, the longest last. The
	// orchestrator that answered the longest known one has it cached.
	Affinity []uint64
	// Party is who asks, the name of an API key; it stands in the debug log.
	Party string
	// Rich says that the request loses something in the existing network's form
	// (see pipeline.Request.Plain); it then goes to a node of our own kind while
	// there is one.
	Rich bool
}

// Answer is an orchestrator's answer that has begun: at least one byte of it came,
// and from here on nothing is tried again. Who gets it calls Deliver and closes Body; a
// Read fails with a fault (Canceled, DeadlineExceeded, CompletionBroken).
type Answer struct {
	inference.Reply
	// Orchestrator is who answers.
	Orchestrator string
	// Price is in wei per unit; nil is free.
	Price *big.Rat
	// Tries is the number of orchestrators that were asked.
	Tries int
	// Billed is how many units the orchestrator charges, whatever becomes of the answer; 0
	// where it is free.
	Billed inference.Units
	// Queue is how long it took until this orchestrator was asked: discovery and
	// tries that failed.
	Queue time.Duration
	// Node is the version of an orchestrator of our own kind, "" for one of the
	// existing network, whose events may need another form.
	Node string
	// Delivered, where not nil, takes what the answer brought: it decides what counts as
	// work for the payment, and against the orchestrator. See Deliver.
	Delivered func(inference.Delivery)
	// Allowed, where not nil, takes how much longer the answer may take. See Allow.
	Allowed func(time.Duration)
	// null: it is null, which stands for a refused request.
	null bool
}

// Allow says how much longer the answer may take from now, before it is broken off as too
// slow.
func (a *Answer) Allow(d time.Duration) {
	if a.Allowed != nil {
		a.Allowed(d)
	}
}

// Deliver says what the answer brought, once its reader knows and before Body is closed.
// Further calls do nothing.
func (a *Answer) Deliver(d inference.Delivery) {
	if a.Delivered != nil {
		a.Delivered(d)
	}
}

// Billed is how many units an orchestrator may charge for a job that came to no answer: its
// client left while it was worked on, or the request was at fault. 0 is none.
func Billed(err error) inference.Units { return upstream.Billed(err) }
