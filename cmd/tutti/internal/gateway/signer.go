package gateway

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/pm/remotesigner"
	service "github.com/tuttinode/tutti/server/remotesigner"
)

// Signer is the remote signer of the node.
type Signer struct {
	// Paying is the account of what was signed.
	Paying *Paying
}

// NewSigner adds the service that signs payments for gateways without a key.
func NewSigner(ctx context.Context, env *nodeenv.Env, network *chain.Part, caps *pricing.Caps) (*Signer, error) {
	paying, err := OpenPaying(ctx, env, network, caps)
	if err != nil {
		return nil, err
	}
	store, err := remotesigner.OpenStore(ctx, network.DB, network.Signer.Address())
	if err != nil {
		return nil, err
	}
	events, err := env.Events(network.Signer.Address())
	if err != nil {
		return nil, err
	}
	cfg := env.Config.Signer
	opt := remotesigner.Options{
		Account: network.Signer.Address(), Sign: network.Signer.SignMessage, Payer: paying.Sender,
		Budget: remotesigner.NewBudget(store, cfg.DailyLimit, env.Board), Random: signerRandom, Now: time.Now,
		Board: env.Board, Log: env.Log, Events: events,
	}
	if !cfg.Webhook.IsZero() {
		headers, err := config.HeaderList(cfg.WebhookHeaders.Reveal())
		if err != nil {
			return nil, fault.Wrap(fault.BadOption, "read -remoteSignerWebhookHeaders", err)
		}
		opt.Authorizer = service.NewWebhook(cfg.Webhook.Reveal(), headers)
	}
	var discover service.Discoverer
	if cfg.Discovery {
		found, err := newSignerFinder(env, network, paying, caps)
		if err != nil {
			return nil, err
		}
		discover = found
	}
	server := service.New(service.Options{
		Addr: env.Config.Addresses.RedeemerListen.Addr(), Open: !cfg.Webhook.IsZero() || cfg.AllowNoAuth,
		Signer: remotesigner.New(opt), Authorizer: opt.Authorizer, Sign: network.Signer.SignMessage, Caps: caps,
		Discover: discover, Connections: env.Connections(), PerAddress: env.Config.Limits.PerAddress,
		Known:  env.Config.Limits.KnownPeers,
		Scarce: env.Files.Refused, Version: process.Version, Log: env.Log, Now: time.Now,
	})
	env.Add(paying.Spent)
	env.Add(paying.Sender)
	env.Add(server)
	return &Signer{Paying: paying}, nil
}

// signerRandom fills bytes; crypto/rand never fails.
func signerRandom(b []byte) { _, _ = rand.Read(b) }
