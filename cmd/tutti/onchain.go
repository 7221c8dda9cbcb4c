package main

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/mattn/go-sqlite3"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/reward"
	"github.com/tuttinode/tutti/core/roundinit"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/eth/endpoint"
	"github.com/tuttinode/tutti/eth/onchain"
	"github.com/tuttinode/tutti/eth/rewardlog"
)

// chainWork is the node's part on the chain.
type chainWork struct {
	*onchain.Node
	network contracts.Network
	// orchestrator is for whom the node works: the account, or whom it acts for.
	orchestrator core.Address
	caller       *reward.Caller
	// db is the node's database.
	db *sql.DB
}

// signMessage signs with the account's key.
type signMessage = func(signature.Message) ([]byte, error)

// whileTrusted signs tickets only while the contracts are those that are trusted: a
// ticket is money of whoever holds the deposit.
func (c *chainWork) whileTrusted(sign signMessage) signMessage {
	return func(message signature.Message) ([]byte, error) {
		if err := c.Chain.Signable(); err != nil {
			return nil, err
		}
		return sign(message)
	}
}

// View is what is known of the chain now.
func (c *chainWork) View() protocol.View { return c.Chain.View() }

// Reward is where this round's reward stands.
func (c *chainWork) Reward() reward.Status { return c.caller.Status() }

// addChain adds what a node on the chain does beside its jobs.
func (n *node) addChain(ctx context.Context) error {
	if n.cfg.Chain.Offchain() {
		return nil
	}
	network, err := n.network(ctx)
	if err != nil {
		return err
	}
	if err := n.moveKeys(ctx, network.ChainID); err != nil {
		return err
	}
	signer, err := n.openWallet()
	if err != nil {
		return err
	}
	n.add(unlocking{signer})
	db, err := sqlite().Open(ctx, n.cfg.Storage.DataDir, noTables)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "open "+database.FileName, err)
	}
	n.add(databaseFile{db})
	opt := onchain.Options{
		Network: network, Controller: n.cfg.Chain.Controller, AIRegistry: n.cfg.AI.ServiceRegistry,
		NoService: !n.cfg.Roles.Orchestrator || !takesWork(n.cfg),
		Endpoints: n.endpoints(), Signer: signer, Orchestrator: n.cfg.Chain.Recipient, DB: db, PollInterval: n.cfg.Chain.PollingInterval,
		Timeout: n.cfg.Gas.Timeout, Replacements: n.cfg.Gas.Replacements, GasLimit: protocol.Gas(n.cfg.Gas.Limit),
		MinGasPrice: network.MinGasPrice, MaxGasPrice: n.cfg.Gas.MaxPrice,
		Board: n.board, Log: n.log, Now: time.Now,
	}
	if n.cfg.Gas.MinPrice != nil {
		opt.MinGasPrice = *n.cfg.Gas.MinPrice
	}
	parts, err := onchain.New(ctx, opt)
	if err != nil {
		return err
	}
	n.chain = &chainWork{Node: parts, network: network, orchestrator: n.cfg.Chain.Recipient, db: db}
	if n.chain.orchestrator.IsZero() {
		n.chain.orchestrator = signer.Address()
	}
	for _, c := range parts.Components() {
		n.add(c)
	}
	if err := n.addRounds(ctx, db); err != nil {
		return err
	}
	n.log.Info("on-chain node", "network", network.Name, "account", signer.Address().String(), "orchestrator", n.chain.orchestrator.String())
	return nil
}

// addRounds adds what happens once a round.
func (n *node) addRounds(ctx context.Context, db *sql.DB) error {
	c := n.chain
	memory, err := rewardlog.Open(ctx, db, c.orchestrator)
	if err != nil {
		return err
	}
	c.caller = reward.New(reward.Options{
		Mode: n.rewardMode(), Orchestrator: c.orchestrator,
		Rounds: c.Chain, Stakes: c.Chain, Actor: c.Chain, Events: c.Chain, Memory: memory,
		Now: time.Now, Board: n.board, Log: n.log,
	})
	n.add(c.caller)
	if n.cfg.Roles.InitializeRound {
		n.add(roundinit.New(roundinit.Options{
			Rounds: c.Chain, Actor: c.Chain, Events: c.Chain, MaxDelay: n.cfg.Chain.InitializeRoundDelay,
			Rand: rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())), Board: n.board, Log: n.log,
		}))
	}
	return nil
}

// rewardMode: only an orchestrator calls reward unasked; a process that initialises
// rounds or is a gateway may well have the orchestrator's key.
func (n *node) rewardMode() reward.Mode {
	switch n.cfg.Roles.Reward {
	case config.On:
		return reward.On
	case config.Off:
		return reward.Off
	}
	if !n.cfg.Roles.Orchestrator {
		return reward.Off
	}
	return reward.Auto
}

// network is what is known of the network by its name. One that nobody knows is
// whatever chain its endpoints are of.
func (n *node) network(ctx context.Context) (contracts.Network, error) {
	name := n.cfg.Chain.Network
	if network, ok := contracts.LookupNetwork(name); ok {
		return network, nil
	}
	id, err := onchain.ChainID(ctx, onchain.Options{Endpoints: n.endpoints(), Board: n.board, Log: n.log, Now: time.Now})
	if err != nil {
		return contracts.Network{}, err
	}
	return contracts.Network{Name: name, ChainID: id, Controller: n.cfg.Chain.Controller, RedeemGas: contracts.UnknownRedeemGas}, nil
}

// sqlite is the driver of the node's database.
func sqlite() database.Driver {
	return database.Driver{Name: "sqlite3", Busy: func(err error) bool {
		e, ok := errors.AsType[sqlite3.Error](err)
		return ok && e.Code == sqlite3.ErrBusy
	}}
}

// noTables only connects: each owner brings its own up to date.
func noTables(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) }

func (n *node) endpoints() []core.Secret {
	var out []core.Secret
	for _, u := range n.cfg.Chain.Endpoints {
		out = append(out, core.NewSecret(u.Reveal()))
	}
	return out
}

// databaseFile is closed when everything that uses it has stopped.
type databaseFile struct{ db *sql.DB }

// Name is the component's name.
func (databaseFile) Name() string { return "chain database" }

// Run closes the database when ctx ends.
func (d databaseFile) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	return d.db.Close()
}

// causes are the conditions that follow from others and are hidden by them: without
// any endpoint nothing on the chain can be done.
func causes() map[fault.Code][]fault.Code {
	c := endpoint.Causes()
	c[fault.ChainUnavailable] = append(c[fault.ChainUnavailable],
		fault.ChainStale, fault.ChainNotReady, fault.RewardFailing, fault.RoundInitFailing, fault.TxStuck, fault.GasEstimateFailed,
		fault.PriceFeedFailing, fault.PriceRateUnknown)
	// Who was given GPUs and has none that works has nobody to transcode.
	for _, why := range append(driverTroubles(), fault.DeviceTestFailed) {
		c[why] = append(c[why], fault.NoTranscoders)
	}
	return c
}
