package gateway

import (
	"context"
	"errors"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
	"github.com/tuttinode/tutti/server/gateway"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/registry"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// Paying is a gateway's side of paying, and of finding the orchestrators to pay.
type Paying struct {
	Spent    *paymentlog.Store
	Sender   *sender.Sender
	payments upstream.Payments
	// directory is nil where a remote signer pays: the operator names the orchestrators.
	directory *registry.Directory
	caps      *pricing.Caps
}

// addPaying opens the account of payments, and adds it and what finds the network's
// orchestrators.
func (p *Part) addPaying(ctx context.Context, orchestrators []string, caps *pricing.Caps) error {
	paying, err := OpenPaying(ctx, p.Env, p.chain, caps)
	if err != nil {
		return err
	}
	tickets := upstream.NewTicketPayments(upstream.TicketOptions{
		Sender: paying.Sender, Sign: p.chain.Signer.SignMessage, Caps: caps,
		AllowExpensive: p.Config.Prices.IgnoreMaxIfNeeded,
	})
	asking := upstream.New(upstream.Options{Payments: tickets, Now: time.Now, Node: "tutti/" + process.Version})
	paying.directory = registry.New(registry.Options{
		Stakes: p.chain.Chain, Events: p.chain.Chain, Survey: asking.Survey, Fixed: orchestrators,
		Named: !p.Config.Selection.Webhook.IsZero(), ExtraNodes: p.Config.Addresses.ExtraNodes, Board: p.Board, Log: p.Log,
		Now: time.Now,
	})
	paying.payments = paying.directory.CheckPayments(tickets)
	p.Paying = paying
	p.reportBounds()
	p.Add(paying.Spent)
	p.Add(paying.Sender)
	p.Add(surveying{paying.directory, asking})
	return nil
}

// OpenPaying opens the account of payments and makes the sender; both are components that the caller adds.
func OpenPaying(ctx context.Context, env *nodeenv.Env, network *chain.Part, caps *pricing.Caps) (*Paying, error) {
	account := network.Signer.Address()
	store, issued, err := paymentlog.Open(ctx, paymentlog.Options{DB: network.DB, Sender: account, Board: env.Board,
		Log: env.Log, Now: time.Now})
	if err != nil {
		return nil, err
	}
	credits, err := store.Credits(ctx)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	paying := &Paying{Spent: store, caps: caps}
	paying.Sender = sender.New(sender.Options{
		Account: account, Sign: network.WhileTrusted(network.Signer.SignMessage), Chain: network.Chain, Book: store,
		Issued: issued, Credits: credits, Limits: payLimits(env.Config),
		Recorder: env.Tickets(), Board: env.Board, Log: env.Log, Now: time.Now,
	})
	return paying, nil
}

// reportBounds logs what bounds the spending of a gateway that pays any price.
func (p *Part) reportBounds() {
	if !p.Config.Prices.Bounded() {
		p.Log.Warn("the gateway pays any price", fault.Attr(fault.New(fault.PriceCapMissing, "start paying",
			payLimits(p.Config).String())))
	}
}

// payLimits returns what bounds payments whatever the price is.
func payLimits(cfg *config.Config) pm.Limits {
	t := cfg.Tickets
	return pm.Limits{MaxEV: t.MaxEV, MaxTotalEV: t.MaxTotalEV, MaxCredit: t.MaxCredit(),
		DepositMultiplier: t.DepositMultiplier}
}

// surveying is a directory that ends its connections when it ends.
type surveying struct {
	*registry.Directory
	client *upstream.Client
}

// Run is the directory's.
func (s surveying) Run(ctx context.Context, ready func()) error {
	defer s.client.Close()
	return s.Directory.Run(ctx, ready)
}

// payFor makes a gateway for video pay.
func (p *Part) payFor(opt *gateway.Options) {
	if p.Paying == nil {
		return
	}
	if p.Paying.directory != nil {
		opt.Network = p.Paying.directory
	}
	opt.Payments, opt.LocalVerify = p.Paying.payments, p.Config.Gateway.LocalVerify
	opt.Selection = gateway.Selection{
		Weights: p.weights(), MaxPrice: p.Paying.caps.MaxTranscoding, IgnoreMaxPrice: p.Config.Prices.IgnoreMaxIfNeeded,
		MinPerfScore: p.Config.Selection.MinPerfScore,
	}
	if opt.Network != nil {
		p.addScores(opt)
	}
}

// choose makes a gateway for AI choose among those it pays.
func (p *Part) choose(opt *broker.Options) {
	if p.Paying == nil {
		return
	}
	opt.MaxPrice, opt.MaxLost = p.Paying.caps.MaxModel, p.Config.Tickets.MaxTotalEV
	opt.AllowExpensive = p.Config.Prices.IgnoreMaxIfNeeded
	opt.Rule = &selectionweights.Rule{Weights: p.weights(), MinScore: p.Config.Selection.MinPerfScore}
	if p.Paying.directory != nil {
		opt.Owner = p.Paying.directory.OwnerOf
	}
}

// weights returns how orchestrators are weighed.
func (p *Part) weights() selectionweights.Weights {
	s := p.Config.Selection
	return selectionweights.Weights{Random: s.RandFreq, Stake: s.StakeWeight, Price: s.PriceWeight,
		PriceExpFactor: s.PriceExpFactor}
}
