package chain

import (
	"context"
	"database/sql"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/eth/chain"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/txmgr"
)

// Part is the node's part on the chain.
type Part struct {
	*chain.Node
	Network contracts.Network
	// Orchestrator is what the node works for: its account, or the one that it acts for.
	Orchestrator core.Address
	RewardCaller *protocol.RewardCaller
	// DB is the node's database.
	DB *sql.DB
}

// signMessage signs with the account's key.
type signMessage = func(signature.Message) ([]byte, error)

// WhileTrusted signs tickets only while the contracts are those that are trusted: a
// ticket is money of the deposit's owner.
func (c *Part) WhileTrusted(sign signMessage) signMessage {
	return func(message signature.Message) ([]byte, error) {
		if err := c.Chain.Signable(); err != nil {
			return nil, err
		}
		return sign(message)
	}
}

// View returns what is known of the chain now.
func (c *Part) View() protocol.View { return c.Chain.View() }

// Reward returns where this round's reward stands.
func (c *Part) Reward() protocol.RewardStatus { return c.RewardCaller.Status() }

// Options are what the part on the chain is made of.
type Options struct {
	Config *config.Config
	Board  *health.Board
	Log    *slog.Logger
	// CopyKeys copies the keys of an existing node on the chain of this number.
	CopyKeys func(ctx context.Context, chain uint64) error
	// Add takes components in starting order.
	Add func(c lifecycle.Component)
}

// New makes what a node on the chain does besides its jobs; nil off-chain.
func New(ctx context.Context, o Options) (*Part, error) {
	cfg := o.Config
	if cfg.Chain.Offchain() {
		return nil, nil
	}
	network, err := Network(ctx, cfg, o.Board, o.Log)
	if err != nil {
		return nil, err
	}
	if err := o.CopyKeys(ctx, network.ChainID); err != nil {
		return nil, err
	}
	signer, err := OpenAccount(cfg, o.Log)
	if err != nil {
		return nil, err
	}
	o.Add(Unlock(signer))
	db, err := nodedb.Driver().Open(ctx, cfg.Storage.DataDir, nodedb.Connect)
	if err != nil {
		return nil, fault.Wrap(fault.ChainCacheFailed, "open "+database.FileName, err)
	}
	o.Add(nodedb.CloseAtEnd(db, "chain database"))
	opt := chain.NodeOptions{
		Network: network, Controller: cfg.Chain.Controller, AIRegistry: cfg.AI.ServiceRegistry,
		NoService: !cfg.Roles.Orchestrator || cfg.Addresses.Service.None,
		Endpoints: Endpoints(cfg), Signer: signer, Orchestrator: cfg.Chain.Recipient, DB: db,
		PollInterval: cfg.Chain.PollingInterval,
		Timeout:      cfg.Gas.Timeout, Replacements: cfg.Gas.Replacements, GasLimit: protocol.Gas(cfg.Gas.Limit),
		MinGasPrice: network.MinGasPrice, MaxGasPrice: cfg.Gas.MaxPrice,
		Board: o.Board, Log: o.Log, Now: time.Now,
	}
	if cfg.Gas.MinPrice != nil {
		opt.MinGasPrice = *cfg.Gas.MinPrice
	}
	parts, err := chain.NewNode(ctx, opt)
	if err != nil {
		return nil, err
	}
	c := &Part{Node: parts, Network: network, Orchestrator: cfg.Chain.Recipient, DB: db}
	if c.Orchestrator.IsZero() {
		c.Orchestrator = signer.Address()
	}
	for _, one := range parts.Components() {
		o.Add(one)
	}
	if err := c.addRounds(ctx, &o); err != nil {
		return nil, err
	}
	o.Log.Info("on-chain node", "network", network.Name, "account", signer.Address().String(),
		"orchestrator", c.Orchestrator.String())
	return c, nil
}

// addRounds adds what happens once a round.
func (c *Part) addRounds(ctx context.Context, o *Options) error {
	cfg := o.Config
	memory, err := txmgr.OpenRewardLog(ctx, c.DB, c.Orchestrator)
	if err != nil {
		return err
	}
	c.RewardCaller = protocol.NewRewardCaller(protocol.RewardOptions{
		Mode: rewardMode(cfg), Orchestrator: c.Orchestrator,
		Rounds: c.Chain, Stakes: c.Chain, Actor: c.Chain, Events: c.Chain, Memory: memory,
		Now: time.Now, Board: o.Board, Log: o.Log,
	})
	o.Add(c.RewardCaller)
	if cfg.Roles.InitializeRound {
		o.Add(protocol.NewRoundInitializer(protocol.RoundInitializerOptions{
			Rounds: c.Chain, Actor: c.Chain, Events: c.Chain, MaxDelay: cfg.Chain.InitializeRoundDelay,
			Rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), Board: o.Board, Log: o.Log,
		}))
	}
	return nil
}

// rewardMode: only an orchestrator calls reward unasked; a process that initializes
// rounds or is a gateway may well have the orchestrator's key.
func rewardMode(cfg *config.Config) protocol.RewardMode {
	switch cfg.Roles.Reward {
	case config.On:
		return protocol.RewardOn
	case config.Off:
		return protocol.RewardOff
	}
	if !cfg.Roles.Orchestrator {
		return protocol.RewardOff
	}
	return protocol.RewardAuto
}
