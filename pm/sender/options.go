package sender

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
)

// Chain is read for every payment; it answers from memory.
type Chain interface {
	View() protocol.View
	SenderFunds(ctx context.Context, key core.Address) (protocol.SenderFunds, error)
}

// Book records payments; *paymentlog.Store implements it.
type Book interface {
	Begin(p *paymentlog.Payment) (*paymentlog.Writing, error)
	Settle(id paymentlog.ID, r paymentlog.Result)
	Record(p *paymentlog.Payment)
	Keep(c paymentlog.Credit)
	WriteOff(why paymentlog.Reason, v pm.Value)
}

// Remote makes tickets with a key that this process does not have.
type Remote interface {
	// Issue makes a payment of n tickets, or of more if they are worth less than one unit of the work. Errors are the
	// faults TicketParamsStale, SignerRefused and SignerUnreachable.
	Issue(ctx context.Context, t *Terms, n int) (*pm.Payment, error)
}

// Options make a Sender. Account, Sign or Remote, Chain and Book must be set.
type Options struct {
	// Account is the paying account.
	Account core.Address
	// Sign signs a message with the account's key, in the personal form of Ethereum
	// signatures. It may be called from several goroutines at once.
	Sign func(m signature.Message) ([]byte, error)
	// Remote makes the tickets in another process; nil makes them here, with Sign.
	Remote Remote
	Chain  Chain
	Book   Book
	// Issued are the nonces that the previous process used, from paymentlog.Open.
	Issued []paymentlog.Issued
	// Credits are the stored credits of orchestrators.
	Credits []paymentlog.Credit
	Limits  pm.Limits

	Recorder pm.Recorder
	// Board gets conditions of insufficient funds; nil gets none.
	Board *health.Board
	Log   *slog.Logger
	Now   func() time.Time
}

func (o Options) withDefaults() Options {
	if o.Recorder == nil {
		o.Recorder = pm.NopRecorder{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}
