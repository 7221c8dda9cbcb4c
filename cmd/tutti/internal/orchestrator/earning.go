package orchestrator

import (
	"context"
	"crypto/rand"
	"slices"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/pm/redeemer"
	service "github.com/tuttinode/tutti/server/redeemer"
)

// Earning is an orchestrator's side of being paid, or what a redeemer has of it.
type Earning struct {
	*nodeenv.Env
	Ledger *ledger.Ledger
	// Recipient is nil in a redeemer, which takes no payments.
	Recipient *recipient.Recipient
	// Redeemer is nil where another process redeems, and handover where this one does.
	Redeemer Redeemer
	handover *service.Client
	// payouts watches whether that one was paid; nil where handover is.
	payouts *redeemer.PayoutWatcher
	token   pm.Secret
	chain   *chain.Part
	// shared is nil where the ledger is in tutti.db.
	shared *sharedDatabase
}

// NewEarning opens the ledger and adds what takes payments at the prices of work and redeems winning
// tickets.
func NewEarning(ctx context.Context, env *nodeenv.Env, network *chain.Part, work recipient.Prices) (*Earning, error) {
	p := &Earning{Env: env, chain: network}
	books, opening, err := p.openLedger(ctx)
	if err != nil {
		return nil, err
	}
	p.Ledger, p.token = books, opening.Token
	if err := p.watchPayers(ctx, p.Ledger); err != nil {
		return nil, err
	}
	opt := recipient.Options{
		Ledger: p.Ledger, Opening: opening, Prices: work, Chain: p.chain.Chain, Recipient: p.chain.Orchestrator,
		TicketEV: p.Config.Tickets.EV, MaxFaceValue: p.Config.Tickets.MaxFaceValue,
		RedeemGas: p.chain.Network.RedeemGas, MinGasPrice: p.chain.Transactions.Prices().Min,
		Rand: rand.Reader, Now: time.Now, Log: p.Log, Recorder: p.Tickets(),
	}
	redeeming, err := p.chooseRedeemer(&opt)
	if err != nil {
		return nil, err
	}
	if p.Recipient, err = recipient.New(opt); err != nil {
		return nil, err
	}
	p.Add(p.Ledger)
	p.Add(redeeming)
	if p.payouts != nil {
		p.Add(p.payouts)
	}
	p.Add(p.Recipient)
	return p, nil
}

// Won returns what redeems a winning ticket that is in the ledger.
func (p *Earning) Won() func(pm.Winner) {
	if p.Redeemer != nil {
		return p.Redeemer.Won
	}
	return p.handover.Won
}

// Leads says whether this node redeems for all that share the ledger; nil where none share it, or
// another process redeems.
func (p *Earning) Leads() func() (leads bool, took time.Duration) {
	if p == nil || p.shared == nil {
		return nil
	}
	return p.shared.leads
}

// Pay makes the orchestrator's rules those of a node that is paid.
func (p *Earning) Pay(opt *orchestrate.Options) {
	if p == nil {
		return
	}
	opt.Payments, opt.Live = p.Recipient, p.Recipient
	opt.Signatures = orchestrate.NewKeySignatures(p.chain.Signer)
	opt.TokenSecret = p.token
	opt.L1Block = func() protocol.L1Block { return p.chain.View().Head.L1 }
	opt.Origin = p.chain.Orchestrator.String()
}

// SetMaxFaceValue returns what bounds the value of tickets while the node runs; nil where none are
// taken.
func (p *Earning) SetMaxFaceValue() func(most core.Wei) error {
	if p == nil || p.Recipient == nil {
		return nil
	}
	return faceValue{p.Recipient, p.Config.Tickets.EV}.SetMaxFaceValue
}

// faceValue bounds what tickets pay when they win.
type faceValue struct {
	recipient *recipient.Recipient
	ev        core.Wei
}

// SetMaxFaceValue changes the bound; 0 takes it away. One below what a ticket is to
// be worth would refuse every gateway.
func (f faceValue) SetMaxFaceValue(most core.Wei) error {
	if !most.IsZero() && most.Cmp(f.ev) <= 0 {
		return fault.New(fault.AdminBadParam, "bound the face value",
			most.String()+" wei is not more than a ticket is to be worth, "+f.ev.String())
	}
	f.recipient.SetMaxFaceValue(most)
	return nil
}

// watchPayers has the funds of gateways that paid recently read at once, so that they
// need not queue behind peers that name unknown addresses.
func (p *Earning) watchPayers(ctx context.Context, books *ledger.Ledger) error {
	ctx, cancel := context.WithTimeout(ctx, storePatience) // the books may be elsewhere
	defer cancel()
	payers, err := books.Payers(ctx, payersWatched)
	if err != nil {
		return err
	}
	// The chain forgets the senders that it watched first when there are too many.
	for _, sender := range slices.Backward(payers) {
		p.chain.Chain.Watch(sender)
	}
	return nil
}

// payersWatched leaves half of those that the chain watches to gateways that come
// later.
const payersWatched = 500
