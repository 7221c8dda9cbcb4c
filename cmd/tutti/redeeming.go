package main

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/ledger"
	"github.com/tuttinode/tutti/pm/payout"
	"github.com/tuttinode/tutti/pm/recipient"
	"github.com/tuttinode/tutti/pm/redeemer"
	service "github.com/tuttinode/tutti/server/redeemer"
	"github.com/tuttinode/tutti/server/redeemer/client"
	"github.com/tuttinode/tutti/server/tlscert"
)

// ledgerReaders is how many reads of the books may go on at once.
const ledgerReaders = 4

// openLedger opens the books, with connections of their own for who only reads:
// neither a long report nor a look at winning tickets holds a payment up.
func (n *node) openLedger(ctx context.Context) (*ledger.Ledger, pm.Opening, error) {
	if n.cfg.Storage.Store.Reveal() != "" {
		return n.openStore(ctx)
	}
	reader, err := nodedb.OpenReadOnly(filepath.Join(n.cfg.Storage.DataDir, database.FileName))
	if err != nil {
		return nil, pm.Opening{}, err
	}
	reader.SetMaxOpenConns(ledgerReaders)
	n.add(nodedb.CloseAtEnd(reader, "books for reading"))
	return ledger.Open(ctx, ledger.Options{
		DB: n.chain.DB, Reader: reader, Full: nodedb.DiskFull, Passing: nodedb.DiskPassing, Damaged: nodedb.FileDamaged, Head: n.layer1,
		Mark: nodedb.Mark(n.cfg.Storage.DataDir, ""),
		Rand: rand.Reader, Now: time.Now, Board: n.board, Log: n.log,
	})
}

// layer1 is the height of layer 1, false while it is not known or is old.
func (n *node) layer1() (protocol.L1Block, bool) {
	v := n.chain.View()
	return v.Head.L1, v.Known && !v.Stale
}

// redeeming turns winning tickets into money: a redeemer, or one among several nodes
// that share their books.
type redeeming interface {
	lifecycle.Component
	service.Redeemer
	// Retry redeems a failed ticket again.
	Retry(ctx context.Context, hash protocol.Hash) error
	Pending(sender core.Address) core.Wei
	Won(w pm.Winner)
}

// newRedeemer redeems what is in the ledger, in this process.
func (n *node) newRedeemer(e *earning) redeeming {
	opt := redeemer.Options{
		Reached: func(l1 protocol.L1Block) {
			if e.recipient != nil { // it is made before anything runs
				e.recipient.Reached(l1)
			}
		},
		Ledger: e.ledger, Chain: n.chain.Chain, Actor: n.chain.Chain, Recipient: n.chain.Orchestrator,
		Recorder: n.ticketRecorder(), Board: n.board, Log: n.log, Now: time.Now, RedeemGas: n.chain.Network.RedeemGas,
	}
	if n.storing == nil {
		return redeemer.New(opt)
	}
	l := n.newLeader(e, opt)
	n.storing.leads = l.Leads
	return l
}

// chooseRedeemer makes what winning tickets are given to: this process's redeemer, or
// the one of -redeemerAddr.
func (n *node) chooseRedeemer(e *earning, opt *recipient.Options) (lifecycle.Component, error) {
	at := n.cfg.Chain.RedeemerAddr
	if at.IsZero() {
		e.redeemer = n.newRedeemer(e)
		opt.Pending, opt.Won = e.redeemer.Pending, e.redeemer.Won
		return e.redeemer, nil
	}
	if err := n.handOver(e); err != nil {
		return nil, err
	}
	opt.Won, opt.MaxFloat = e.handover.Won, n.remoteMaxFloat(e.handover)
	return e.handover, nil
}

// handOver makes what hands winning tickets to the redeemer of -redeemerAddr, and what looks
// whether they were paid.
func (n *node) handOver(e *earning) error {
	at := n.cfg.Chain.RedeemerAddr.Authority()
	trust, err := redeemerTrust(n.cfg)
	if err != nil {
		return err
	}
	if n.cfg.Chain.RedeemerElsewhere() && len(trust) == 0 {
		n.log.Warn("the redeemer's certificate is not checked",
			fault.Attr(fault.New(fault.RedeemerUnpinned, "hand winning tickets over", at)))
	}
	if e.handover, err = client.New(client.Options{
		Addr: at, Trust: trust, Ledger: e.ledger, Recipient: n.chain.Orchestrator, View: n.chain.View,
		Round: n.chain.Chain.Round, Board: n.board, Log: n.log, Now: time.Now,
	}); err != nil {
		return err
	}
	e.payouts, err = payout.New(payout.Options{
		Ledger: e.ledger, Chain: n.chain.Chain, Recipient: n.chain.Orchestrator, Redeemer: at, Undone: e.handover.Won,
		Recorder: n.ticketRecorder(), Board: n.board, Log: n.log, Now: time.Now,
	})
	return err
}

// redeemerTrust are the certificates of -redeemerCA.
func redeemerTrust(cfg *config.Config) (tlscert.Trust, error) {
	path := cfg.TLS.RedeemerCA
	if path == "" {
		return nil, nil
	}
	trust, err := tlscert.ReadTrust(path)
	if err != nil {
		return nil, fault.Wrap(fault.RedeemerCAUnusable, "read -redeemerCA "+path, err)
	}
	return trust, nil
}

// remoteMaxFloat asks the redeemer only about senders that have money at all: any peer can
// name senders, and each that is asked about takes a slot. The answer counts up to what the
// chain shows here: a redeemer that claims more would have tickets accepted that the funds
// do not pay.
func (n *node) remoteMaxFloat(handing *client.Client) func(context.Context, core.Address) (core.Wei, error) {
	return func(ctx context.Context, sender core.Address) (core.Wei, error) {
		funds, err := n.chain.Chain.SenderFunds(ctx, sender)
		if err != nil || funds.Deposit.IsZero() && funds.Reserve.FundsRemaining.IsZero() {
			return core.Wei{}, err
		}
		float, err := handing.MaxFloat(ctx, sender)
		if most := pm.MaxFloat(funds, n.chain.View().PoolSize, core.Wei{}); float.Cmp(most) > 0 {
			float = most
		}
		return float, err
	}
}

// hasTicket reports whether the books have a winning ticket.
func (n *node) hasTicket(ctx context.Context, ticket protocol.Hash) (bool, error) {
	all, err := n.earning.ledger.Winners(ctx, ledger.Filter{Hash: ticket})
	return len(all) > 0, err
}

// addRedeemer adds the service that redeems other processes' winning tickets, with
// books and an account of its own.
func (n *node) addRedeemer(ctx context.Context) error {
	books, _, err := n.openLedger(ctx)
	if err != nil {
		return err
	}
	n.earning = &earning{ledger: books}
	n.earning.redeemer = n.newRedeemer(n.earning)
	listen := n.cfg.Addresses.RedeemerListen
	opt := service.Options{
		View: n.chain.View, Taken: n.hasTicket, RedeemGas: n.chain.Network.RedeemGas,
		Addr: listen.Addr(), Redeemer: n.earning.redeemer, Recipient: n.chain.Orchestrator, Funds: n.chain.Chain.SenderFunds, Log: n.log,
		Connections: min(service.DefaultConnections, n.connections()),
	}
	if !listen.Plaintext {
		if opt.Cert, err = tlscert.Open(tlscert.Options{
			CertFile: n.cfg.TLS.Cert, KeyFile: n.cfg.TLS.Key, Dir: n.cfg.Storage.DataDir, Host: listen.Host,
			Now: time.Now, Rand: rand.Reader, Log: n.log,
		}); err != nil {
			return err
		}
	}
	server, err := service.New(opt)
	if err != nil {
		return err
	}
	n.add(books)
	n.add(n.earning.redeemer)
	n.add(server)
	return nil
}
