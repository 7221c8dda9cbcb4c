package main

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/test/devnet"
)

// The demonstration's chain. Ticket parameters live for 40 layer-1 blocks, which
// are ten seconds here; a round is half a minute, so that one sees several and
// winners have time to be redeemed in.
const (
	roundBlocks = 120
	blockTime   = 250 * time.Millisecond
	stake       = 1000 // LPT
)

// baseFee is so low that a ticket of a hundred times the price of its redemption
// wins every now and then although it pays for seconds of video.
func baseFee() core.Wei { return core.NewWei(10_000) }

// chain is the local test chain and the demonstration's accounts on it.
type chain struct {
	process *devnet.Process
	dir     string
	// orchestrator, second and gateway are the parties' accounts.
	orchestrator, second, gateway core.Address
}

// passphrase seals the demonstration's keys, which are worth nothing.
const passphrase = "demo"

// startChain starts the test chain, makes an account for each party and gives them
// something to stake, to pay with and to pay gas with. It is nil when the chain was
// not asked for.
func startChain(ctx context.Context, opt options, n *node, dir string) (*chain, error) {
	if opt.offchain {
		return nil, nil
	}
	listen, err := freeAddress("127.0.0.1:8545")
	if err != nil {
		return nil, err
	}
	process, err := devnet.Launch(ctx, dir, devnet.Options{
		Binary: opt.sibling("tutti_devnet"), Listen: listen, BlockTime: 250 * time.Millisecond, L1BlockTime: blockTime,
		RoundLength: roundBlocks,
	})
	if err != nil {
		return nil, err
	}
	c := &chain{process: process, dir: dir}
	if err := c.fund(ctx, n); err != nil {
		process.Stop()
		return nil, err
	}
	return c, nil
}

// flags returns what a party needs to be on the chain.
func (c *chain) flags(account core.Address) []string {
	return []string{"-network", "devnet", "-ethUrl", c.process.Info.Endpoints[0], "-ethPassword", c.passphraseFile(),
		"-ethAcctAddr", account.String(), "-blockPollingInterval", "1s"}
}

func (c *chain) passphraseFile() string { return filepath.Join(c.dir, "passphrase") }

// fund makes the accounts.
func (c *chain) fund(ctx context.Context, n *node) (err error) {
	if err := os.WriteFile(c.passphraseFile(), []byte(passphrase), 0o600); err != nil {
		return err
	}
	if err := c.process.Control.SetBaseFee(ctx, baseFee()); err != nil {
		return err
	}
	if c.orchestrator, err = c.newAccount(ctx, n.dir); err != nil {
		return err
	}
	if c.second, err = c.newAccount(ctx, n.second.dir); err != nil {
		return err
	}
	if c.gateway, err = c.newAccount(ctx, n.gatewayDir); err != nil {
		return err
	}
	if err := c.process.Control.FundLPT(ctx, common.Address(c.second), core.LPTTokens(stake)); err != nil {
		return err
	}
	return c.process.Control.FundLPT(ctx, common.Address(c.orchestrator), core.LPTTokens(stake))
}

// newAccount makes a key in a data directory's keystore and gives it 1 ETH. A cheap
// seal will do.
func (c *chain) newAccount(ctx context.Context, dataDir string) (core.Address, error) {
	entry, err := account.Open(filepath.Join(dataDir, "keystore"), account.Light).Create(core.NewSecret(passphrase),
		rand.Reader, time.Now())
	if err != nil {
		return core.Address{}, err
	}
	ether, err := core.ParseEther("1")
	if err != nil {
		return core.Address{}, err
	}
	return entry.Address, c.process.Control.Fund(ctx, common.Address(entry.Address), ether)
}

func (c *chain) stop() {
	if c != nil {
		c.process.Stop()
	}
}
