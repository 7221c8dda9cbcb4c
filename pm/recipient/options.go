package recipient

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
)

// Ledger stores payments; package pm/ledger implements it.
type Ledger interface {
	// Append returns when the entries are on disk. After an error they are not and never will
	// be, except for the fault LedgerFailed: then that is unknown, and the ledger accepts
	// nothing more.
	Append(ctx context.Context, e pm.Entries) error
	// Book queues entries in the order of the calls, and does not wait for them.
	Book(e pm.Entries)
	// Expired drops parameters that expire up to a block.
	Expired(l1 protocol.L1Block)
	// Archive rolls up the entries of rounds before one. It may take long.
	Archive(ctx context.Context, before protocol.Round) error
}

// Prices are the prices of work without the cost of redemption; package core/pricing implements
// it. The caller owns the returned rationals.
type Prices interface {
	// Transcoding is nil while the price is not known.
	Transcoding(sender core.Address) *big.Rat
	// Model is false for a model without price.
	Model(sender core.Address, m inference.Model) (*big.Rat, bool)
	// Models returns the models that have a price for any gateway.
	Models() []inference.Model
	// AutoAdjust reports whether quotes include the cost of redemption.
	AutoAdjust() bool
}

// Chain reads the chain; package eth/chain implements it.
type Chain interface {
	protocol.Views
	protocol.Senders
}

// Limits bound what gateways can make the node remember. A zero is the default.
type Limits struct {
	// Accounts bounds the open accounts, AccountsPerSender those of one gateway.
	Accounts, AccountsPerSender int
	// Sets bounds the sets of parameters whose nonces are remembered, and
	// SetsPerSender those of one gateway; a set whose nonces are far apart counts
	// several times.
	Sets, SetsPerSender int
}

// The default limits. A stream of 2-second segments uses 240 sets until the first
// expires; a set takes about half a kilobyte, an account too.
const (
	defaultAccounts          = 1 << 16
	defaultAccountsPerSender = 1 << 12
	defaultSets              = 1 << 18
	defaultSetsPerSender     = 1 << 17
)

// Options are what a Recipient needs. Pending, Waiting, MaxFloat, Won, Recorder, Limits and
// Sweep may be left out; a zero amount is one.
type Options struct {
	Ledger Ledger
	// Opening is what the ledger remembered when it was opened.
	Opening pm.Opening
	Prices  Prices
	Chain   Chain
	// Events reports new heads, so that parameters expire at once and not with the next sweep.
	// It may be left out if Chain reports them.
	Events protocol.Events
	// Recipient is the orchestrator that tickets are paid to.
	Recipient core.Address

	// Pending is the face value of a gateway's winning tickets that are not paid; nil
	// where there are none.
	Pending func(sender core.Address) core.Wei
	// Waiting is how many winning tickets of a gateway are not paid, or not handed over; nil where
	// there are none.
	Waiting func(sender core.Address) int
	// MaxFloat asks the process that redeems what a gateway's funds cover. It is nil if this
	// process redeems; then it is computed here.
	MaxFloat func(ctx context.Context, sender core.Address) (core.Wei, error)
	// Won gets every winning ticket, once it is on disk. It must not block, and may get a
	// ticket more than once.
	Won func(pm.Winner)

	// TicketEV is the expected value of a ticket. MaxFaceValue bounds what it pays when it
	// wins; 0 is no bound.
	TicketEV, MaxFaceValue core.Wei
	// A redemption costs RedeemGas at the chain's gas price, or at MinGasPrice where
	// that is more.
	RedeemGas   protocol.Gas
	MinGasPrice core.Wei

	// Rand is the source of seeds. It need not be safe for concurrent use.
	Rand     io.Reader
	Now      func() time.Time
	Log      *slog.Logger
	Recorder pm.Recorder
	Limits   Limits
	// Sweep is the interval of looking for idle accounts and expired sets; 0 is 10 s.
	Sweep time.Duration
}

var errOptions = errors.New("recipient: an option is missing")

func (o Options) complete() (Options, error) {
	if o.Ledger == nil || o.Prices == nil || o.Chain == nil || o.Recipient.IsZero() ||
		o.Rand == nil || o.Now == nil || o.Log == nil || o.RedeemGas == 0 {
		return o, errOptions
	}
	if o.Events == nil {
		o.Events, _ = o.Chain.(protocol.Events)
	}
	if o.Pending == nil {
		o.Pending = func(core.Address) core.Wei { return core.Wei{} }
	}
	if o.Waiting == nil {
		o.Waiting = func(core.Address) int { return 0 }
	}
	if o.Won == nil {
		o.Won = func(pm.Winner) {}
	}
	if o.Recorder == nil {
		o.Recorder = pm.NopRecorder{}
	}
	if o.Sweep <= 0 {
		o.Sweep = 10 * time.Second
	}
	o.Limits.Accounts = orDefault(o.Limits.Accounts, defaultAccounts)
	o.Limits.AccountsPerSender = orDefault(o.Limits.AccountsPerSender, defaultAccountsPerSender)
	o.Limits.Sets = orDefault(o.Limits.Sets, defaultSets)
	o.Limits.SetsPerSender = orDefault(o.Limits.SetsPerSender, defaultSetsPerSender)
	return o, nil
}

func orDefault(n, otherwise int) int {
	if n <= 0 {
		return otherwise
	}
	return n
}
