package pm

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Job is a paid request as it comes in: who pays what for which work.
type Job struct {
	Account Account
	Session core.SessionID
	// From is the network address that it comes from, as peers are told apart by.
	From string
	// Quote is the one of the request's auth token.
	Quote   Quote
	Payment Payment
	// Model is nil for a segment.
	Model *inference.Model
	// Estimate is how many units the work will come to: exact for AI, and for a
	// segment what its gateway estimates too, without its margin.
	Estimate int64
}

// Work is what a job came to.
type Work struct {
	// Units are billed; Produced is what came out where that is another number, -1
	// when it is not known.
	Units, Produced int64
	// Worker is who did it.
	Worker string
}

// Hold is the money put aside for one job between its admission and its end. One
// of Done and Release ends it; further calls of these two do nothing.
type Hold interface {
	// Begin is asked when the work's turn has come: jobs before it may have used up
	// what was there. The error is the fault InsufficientBalance.
	Begin() error
	// Covers is asked when it is known what the work came to, before what came of it is
	// given away: work far beyond what the job was admitted for must be paid already. The
	// error is the fault InsufficientBalance.
	Covers(units int64) error
	// Done bills the work at the quoted price: a segment's when it is finished, an
	// AI job's when its answer has begun, so that the bill stands even if its
	// gateway, or this process, goes away before the answer's end.
	Done(Work)
	// Produced notes what came of work that Done was told of with Produced -1, once
	// that is known: after Done, at most once, and perhaps never. It changes no
	// balance. The books get one more Debit for it, of 0 units and with the same
	// account, session, model, worker and price, so that sums of Produced are right
	// and nothing that was booked is ever changed. A Debit of 0 units is no job.
	Produced(n int64)
	// Release gives the money back: there was no work.
	Release()
}
