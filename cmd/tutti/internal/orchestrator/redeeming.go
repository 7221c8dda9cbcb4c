package orchestrator

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/pm/redeemer"
	service "github.com/tuttinode/tutti/server/redeemer"
	"github.com/tuttinode/tutti/server/tlscert"
)

// ledgerReaders is how many reads of the books may go on at once.
const ledgerReaders = 4

// openLedger opens the books, with connections of their own for readers:
// neither a long report nor a look at winning tickets holds a payment up.
func (p *Earning) openLedger(ctx context.Context) (*ledger.Ledger, pm.Opening, error) {
	if p.Config.Storage.Store.Reveal() != "" {
		return p.openStore(ctx)
	}
	reader, err := nodedb.OpenReadOnly(filepath.Join(p.Config.Storage.DataDir, database.FileName))
	if err != nil {
		return nil, pm.Opening{}, err
	}
	reader.SetMaxOpenConns(ledgerReaders)
	p.Add(nodedb.CloseAtEnd(reader, "books for reading"))
	return ledger.Open(ctx, ledger.Options{
		DB: p.chain.DB, Reader: reader, Full: nodedb.DiskFull, Transient: nodedb.DiskTransient, Damaged: nodedb.FileDamaged,
		InPlace: database.InPlace(p.Config.Storage.DataDir), Head: p.layer1,
		Mark: nodedb.Mark(p.Config.Storage.DataDir, ""),
		Rand: rand.Reader, Now: time.Now, Board: p.Board, Log: p.Log,
	})
}

// layer1 returns the height of layer 1, false while it is not known or is old.
func (p *Earning) layer1() (protocol.L1Block, bool) {
	v := p.chain.View()
	return v.Head.L1, v.Known && !v.Stale
}

// Redeemer turns winning tickets into money: a redeemer, or one among several nodes
// that share their books.
type Redeemer interface {
	lifecycle.Component
	service.Redeemer
	// Retry redeems a failed ticket again.
	Retry(ctx context.Context, hash protocol.Hash) error
	Pending(sender core.Address) core.Wei
	Waiting(sender core.Address) int
	Won(w pm.Winner)
}

// newRedeemer redeems what is in the ledger, in this process.
func (p *Earning) newRedeemer() Redeemer {
	opt := redeemer.Options{
		Reached: func(l1 protocol.L1Block) {
			if p.Recipient != nil { // it is made before anything runs
				p.Recipient.Reached(l1)
			}
		},
		Ledger: p.Ledger, Chain: p.chain.Chain, Actor: p.chain.Chain, Recipient: p.chain.Orchestrator,
		Recorder: p.Tickets(), Board: p.Board, Log: p.Log, Now: time.Now, RedeemGas: p.chain.Network.RedeemGas,
		Tracer: p.Tracer,
	}
	if p.shared == nil {
		return redeemer.New(opt)
	}
	l := p.newLeader(opt)
	p.shared.leads = l.Leads
	return l
}

// chooseRedeemer makes what winning tickets are given to: this process's redeemer, or
// the one of -redeemerAddr.
func (p *Earning) chooseRedeemer(opt *recipient.Options) (lifecycle.Component, error) {
	at := p.Config.Chain.RedeemerAddr
	if at.IsZero() {
		p.Redeemer = p.newRedeemer()
		opt.Pending, opt.Waiting, opt.Won = p.Redeemer.Pending, p.Redeemer.Waiting, p.Redeemer.Won
		return p.Redeemer, nil
	}
	if err := p.handOver(); err != nil {
		return nil, err
	}
	opt.Waiting, opt.Won, opt.MaxFloat = p.handover.Waiting, p.handover.Won, p.remoteMaxFloat(p.handover)
	return p.handover, nil
}

// handOver makes what hands winning tickets to the redeemer of -redeemerAddr, and what looks
// whether they were paid.
func (p *Earning) handOver() error {
	at := p.Config.Chain.RedeemerAddr.Authority()
	trust, err := nodeenv.RedeemerTrust(p.Config)
	if err != nil {
		return err
	}
	if p.Config.Chain.RedeemerElsewhere() && len(trust) == 0 {
		p.Log.Warn("the redeemer's certificate is not checked",
			fault.Attr(fault.New(fault.RedeemerUnpinned, "hand winning tickets over", at)))
	}
	if p.handover, err = service.NewClient(service.ClientOptions{
		Addr: at, Trust: trust, Ledger: p.Ledger, Recipient: p.chain.Orchestrator, View: p.chain.View,
		Round: p.chain.Chain.Round, Board: p.Board, Log: p.Log, Now: time.Now,
	}); err != nil {
		return err
	}
	p.payouts, err = redeemer.NewPayoutWatcher(redeemer.PayoutOptions{
		Ledger: p.Ledger, Chain: p.chain.Chain, Recipient: p.chain.Orchestrator, Redeemer: at, Undone: p.handover.Won,
		Recorder: p.Tickets(), Board: p.Board, Log: p.Log, Now: time.Now,
	})
	return err
}

// remoteMaxFloat asks the redeemer only about senders that have money at all: any peer can
// name senders, and each request about one takes a slot. The answer counts up to what the
// chain shows here: a redeemer that claims more would have tickets accepted that the funds
// do not pay.
func (p *Earning) remoteMaxFloat(handing *service.Client) func(context.Context, core.Address) (core.Wei, error) {
	return func(ctx context.Context, sender core.Address) (core.Wei, error) {
		funds, err := p.chain.Chain.SenderFunds(ctx, sender)
		if err != nil || funds.Deposit.IsZero() && funds.Reserve.FundsRemaining.IsZero() {
			return core.Wei{}, err
		}
		float, err := handing.MaxFloat(ctx, sender)
		if most := pm.MaxFloat(funds, p.chain.View().PoolSize, core.Wei{}); float.Cmp(most) > 0 {
			float = most
		}
		return float, err
	}
}

// hasTicket reports whether the books have a winning ticket.
func (p *Earning) hasTicket(ctx context.Context, ticket protocol.Hash) (bool, error) {
	all, err := p.Ledger.Winners(ctx, ledger.Filter{Hash: ticket})
	return len(all) > 0, err
}

// NewRedeemer adds the service that redeems other processes' winning tickets, with
// books and an account of its own.
func NewRedeemer(ctx context.Context, env *nodeenv.Env, network *chain.Part) (*Earning, error) {
	p := &Earning{Env: env, chain: network}
	books, _, err := p.openLedger(ctx)
	if err != nil {
		return nil, err
	}
	p.Ledger = books
	p.Redeemer = p.newRedeemer()
	listen := p.Config.Addresses.RedeemerListen
	opt := service.Options{
		View: p.chain.View, Taken: p.hasTicket, RedeemGas: p.chain.Network.RedeemGas,
		Addr: listen.Addr(), Redeemer: p.Redeemer, Recipient: p.chain.Orchestrator, Funds: p.chain.Chain.SenderFunds,
		Log:         p.Log,
		Connections: min(service.DefaultConnections, p.Connections()),
	}
	if !listen.Plaintext {
		if opt.Cert, err = tlscert.Open(tlscert.Options{
			CertFile: p.Config.TLS.Cert, KeyFile: p.Config.TLS.Key, Dir: p.Config.Storage.DataDir, Host: listen.Host,
			Now: time.Now, Rand: rand.Reader, Log: p.Log,
		}); err != nil {
			return nil, err
		}
	}
	server, err := service.New(opt)
	if err != nil {
		return nil, err
	}
	p.Add(books)
	p.Add(p.Redeemer)
	p.Add(server)
	return p, nil
}
