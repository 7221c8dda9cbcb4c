package pm

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Job is a paid request as it comes in: who pays what for which work.
type Job struct {
	Account Account
	Session core.SessionID
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
// of Done and Release ends it; further calls do nothing.
type Hold interface {
	// Begin is asked when the work's turn has come: jobs before it may have used up
	// what was there. The error is the fault InsufficientBalance.
	Begin() error
	// Done bills the work at the quoted price.
	Done(Work)
	// Release gives the money back: there was no work.
	Release()
}
