package txmgr

import (
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
)

// Options are a Manager's parts and settings. Zero settings get the defaults that
// are named; the parts have none.
type Options struct {
	ChainID uint64
	Backend Backend
	Signer  Signer
	Journal Journal
	// Decode makes a fault with the contract's reason out of the error of a call or an estimate. reverted is false for
	// other errors. After a restart the intent has another Go type than the one that was sent.
	Decode func(in Intent, err error) (reason error, reverted bool)
	Health *health.Board
	Log    *slog.Logger
	Now    func() time.Time

	// Timeout is how long an attempt may take before it is replaced; 5 minutes.
	Timeout time.Duration
	// Replacements is how often a transaction is replaced by one that pays more. Replacing one that
	// offered less than the base fee does not count. No default: 0 is never.
	Replacements int
	// GasLimit is the gas limit of every transaction; 0 estimates it.
	GasLimit protocol.Gas
	// MinGasPrice and MaxGasPrice bound the price per gas; 0 is no bound. If they contradict
	// each other, MaxGasPrice holds.
	MinGasPrice, MaxGasPrice core.Wei
	// Confirmations is how many blocks on top of a transaction's make it final; 20.
	// FinalAfter is how long it must have been seen there as well; 30 seconds. Both
	// together must outlast the deepest reorg and the slowest endpoint: a
	// transaction that is final is never looked at again.
	Confirmations protocol.L2Block
	FinalAfter    time.Duration
	// ForeignAfter is after what time a used nonce counts as that of a foreign transaction: it was used at least
	// as many blocks ago as make a transaction final, and none of ours is found; 2 minutes.
	ForeignAfter time.Duration
	// InFlight is how many transactions may be pending at once; 16. Four times as many may wait.
	InFlight int
	// GiveUpAfter is how long a transaction that was replaced as often as allowed may block later ones; 1 hour.
	GiveUpAfter time.Duration
	// Pace is the least time between two reads of the chain, however fast its blocks come; half a second. Poll
	// is the most while something is pending, for when no heads come; 15 seconds. Rebroadcast is after what time
	// a transaction that is not mined is sent again; 30 seconds.
	Pace, Poll, Rebroadcast time.Duration
	// CallTimeout bounds one request to the chain; 20 seconds.
	CallTimeout time.Duration
}

func (o Options) withDefaults() Options {
	set(&o.Timeout, 5*time.Minute)
	set(&o.Confirmations, 20)
	set(&o.FinalAfter, 30*time.Second)
	set(&o.ForeignAfter, 2*time.Minute)
	set(&o.InFlight, 16)
	set(&o.GiveUpAfter, time.Hour)
	set(&o.Pace, 500*time.Millisecond)
	set(&o.Poll, 15*time.Second)
	set(&o.Rebroadcast, 30*time.Second)
	set(&o.CallTimeout, 20*time.Second)
	if o.Decode == nil {
		o.Decode = func(Intent, error) (error, bool) { return nil, false }
	}
	return o
}

// set gives a setting that was left out its default.
func set[T comparable](v *T, preset T) {
	var zero T
	if *v == zero {
		*v = preset
	}
}
