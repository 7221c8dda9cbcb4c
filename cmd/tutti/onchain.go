package main

import (
	"context"
	"database/sql"
	"math/rand/v2"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/database"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/reward"
	"github.com/tuttinode/tutti/core/roundinit"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/eth/contracts"
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
	network, err := chain.Network(ctx, n.cfg, n.board, n.log)
	if err != nil {
		return err
	}
	if err := n.moveKeys(ctx, network.ChainID); err != nil {
		return err
	}
	signer, err := chain.OpenAccount(n.cfg, n.log)
	if err != nil {
		return err
	}
	n.add(chain.Unlock(signer))
	db, err := nodedb.Driver().Open(ctx, n.cfg.Storage.DataDir, nodedb.Connect)
	if err != nil {
		return fault.Wrap(fault.ChainCacheFailed, "open "+database.FileName, err)
	}
	n.add(nodedb.CloseAtEnd(db, "chain database"))
	opt := onchain.Options{
		Network: network, Controller: n.cfg.Chain.Controller, AIRegistry: n.cfg.AI.ServiceRegistry,
		NoService: !n.cfg.Roles.Orchestrator || !takesWork(n.cfg),
		Endpoints: chain.Endpoints(n.cfg), Signer: signer, Orchestrator: n.cfg.Chain.Recipient, DB: db, PollInterval: n.cfg.Chain.PollingInterval,
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
