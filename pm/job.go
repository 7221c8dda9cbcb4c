package pm

import (
	"strings"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
)

// Job is a paid request: the account that pays, the price and the work.
type Job struct {
	Account Account
	Session core.SessionID
	// From is the network address that it comes from, by which peers are distinguished.
	From string
	// Quote is the one of the request's auth token.
	Quote   Quote
	Payment Payment
	// Model is nil for a segment.
	Model *inference.Model
	// Live names live work in the books, "" for other work.
	Live string
	// Verified, if set, is called when the tickets are valid and pay for the job, before they are written to
	// disk. It says nothing about whether that will succeed.
	Verified func()
	// Estimate is how many units the work will come to: exact for AI, and for a
	// segment what its gateway estimates too, without its margin.
	Estimate int64
}

// Accounts of live work.
const (
	// LivePipeline is the name of live work in the books.
	LivePipeline = "live"
	// livePrefix begins the names of its accounts: no account of another kind of work has one.
	livePrefix = "live:"
	// capabilityPrefix follows it in the names of accounts for external capabilities. No manifest has it.
	capabilityPrefix = "byoc:"
)

// CapabilityKey returns the name of the account from which the work of an external capability is paid.
func CapabilityKey(name string) core.ManifestID {
	return LiveKey(core.ManifestID(capabilityPrefix + name))
}

// LiveKey returns the name of the account from which the live work of a manifest is paid.
func LiveKey(manifest core.ManifestID) core.ManifestID { return livePrefix + manifest }

// IsLiveKey reports whether an account is one of live work.
func IsLiveKey(key core.ManifestID) bool { return strings.HasPrefix(string(key), livePrefix) }

// Work is what a job came to.
type Work struct {
	// Units are billed; Produced is what came out where that is another number, -1
	// when it is not known.
	Units, Produced int64
	// Worker names the worker that did it.
	Worker string
}

// Hold is the money reserved for one job between its admission and its end. One of Done and
// Release ends it; further calls of these two do nothing.
type Hold interface {
	// Begin is called when the job starts: earlier jobs may have used up the balance. The error
	// is the fault InsufficientBalance.
	Begin() error
	// Covers is called when the size of the work is known, before its output is returned: work
	// far beyond the estimate must be paid already. The error is the fault InsufficientBalance.
	Covers(units int64) error
	// Done bills the work at the quoted price: a segment's when it is finished, an
	// AI job's when its answer has begun, so that the bill stands even if its
	// gateway, or this process, goes away before the answer's end.
	Done(Work)
	// Produced records the output of work that Done got with Produced -1: after Done, at most
	// once, and perhaps never. It changes no balance. The ledger gets one more Debit for it, of
	// 0 units and with the same account, session, model, worker and price, so that sums of
	// Produced are right and no entry is ever changed. A Debit of 0 units is no job.
	Produced(n int64)
	// Release releases the money: there was no work.
	Release()
}

// Tab is an account from which work is charged while it goes on. It keeps the account open until
// Close.
type Tab interface {
	// Charge bills as many of the units as the account holds, and returns how many these are: fewer
	// than asked for mean that it is used up.
	Charge(units int64) (billed int64)
	// Held returns how many units the account holds.
	Held() int64
	// Settle bills units that the account does not hold: its sender owes them.
	Settle(units int64)
	// Close ends the tab; further calls of it do nothing.
	Close()
}
