package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/standing"
	"github.com/tuttinode/tutti/eth/account"
	"github.com/tuttinode/tutti/server/web"
	"github.com/tuttinode/tutti/test/devnet"
)

// The demonstration's chain: a round of twenty seconds, so that one sees several.
const (
	roundBlocks = 20
	blockTime   = time.Second
	stake       = 1000 // LPT
)

// chain is the local test chain and the demonstration's account on it.
type chain struct {
	process *devnet.Process
	flags   []string
	account core.Address
	dataDir string
}

// startChain starts the test chain, makes an account and gives it something to
// stake and to pay gas with. It is nil when the chain was not asked for.
func startChain(ctx context.Context, opt options, dir string) (*chain, error) {
	if opt.offchain {
		return nil, nil
	}
	listen, err := freeAddress("127.0.0.1:8545")
	if err != nil {
		return nil, err
	}
	process, err := devnet.Launch(ctx, dir, devnet.Options{
		Binary: opt.beside("tutti_devnet"), Listen: listen, BlockTime: 250 * time.Millisecond, L1BlockTime: blockTime, RoundLength: roundBlocks,
	})
	if err != nil {
		return nil, err
	}
	c := &chain{process: process, dataDir: filepath.Join(dir, "node")}
	if err := c.fund(ctx, dir); err != nil {
		process.Stop()
		return nil, err
	}
	c.flags = []string{"-network", "devnet", "-ethUrl", process.Info.Endpoints[0], "-ethPassword", filepath.Join(dir, "passphrase"),
		"-ethAcctAddr", c.account.String(), "-blockPollingInterval", "1s", "-initializeRound", "-initializeRoundMaxDelay", "0s"}
	return c, nil
}

// fund makes the account. Its key is worth nothing, so a cheap seal will do.
func (c *chain) fund(ctx context.Context, dir string) error {
	const passphrase = "demo"
	if err := os.WriteFile(filepath.Join(dir, "passphrase"), []byte(passphrase), 0o600); err != nil {
		return err
	}
	keys := account.Open(filepath.Join(c.dataDir, "keystore"), account.Light)
	entry, err := keys.Create(core.NewSecret(passphrase), rand.Reader, time.Now())
	if err != nil {
		return err
	}
	c.account = entry.Address
	ether, err := core.ParseEther("1")
	if err != nil {
		return err
	}
	if err := c.process.Control.Fund(ctx, common.Address(c.account), ether); err != nil {
		return err
	}
	return c.process.Control.FundLPT(ctx, common.Address(c.account), core.LPTTokens(stake))
}

func (c *chain) stop() {
	if c != nil {
		c.process.Stop()
	}
}

// register has the node's account become an orchestrator, with the tool that an
// operator uses.
func (c *chain) register(ctx context.Context, opt options, n *node, out io.Writer) error {
	args := []string{"orchestrator", "activate", "--url", "http://" + n.admin, "--token-file", filepath.Join(c.dataDir, "admin.token"),
		"--reward-cut", "10", "--fee-cut", "95", "--stake", fmt.Sprint(stake), "--service-uri", "https://" + n.orchestrator, "--price-per-unit", "0",
		"--yes", "--json"}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		text, err := exec.CommandContext(ctx, opt.beside("tutti_cli"), args...).CombinedOutput()
		if err == nil {
			fmt.Fprintf(out, "ok: %s is registered with %d LPT, by tutti_cli orchestrator activate\n", c.account, stake)
			return nil
		}
		// A round may end in between; running it again goes on at the open step.
		if !bytes.Contains(text, []byte("RoundNotInitialized")) && !bytes.Contains(text, []byte("RoundLocked")) && !bytes.Contains(text, []byte("ChainNotReady")) {
			return fmt.Errorf("tutti_cli orchestrator activate: %w\n%s", err, text)
		}
		if err := wait(ctx, time.Second); err != nil {
			return fmt.Errorf("tutti_cli orchestrator activate: %s", text)
		}
	}
}

// awaitReward waits until the orchestrator is active and was rewarded.
func (c *chain) awaitReward(ctx context.Context, n *node, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		s, err := c.standing(ctx, n)
		if err != nil {
			return err
		}
		if s.State == standing.Active && len(s.Rewards) > 0 && !s.Rewards[0].Amount.IsZero() {
			fmt.Fprintf(out, "ok: active in round %d, called reward in round %d: +%s LPT, stake %s LPT\n",
				s.Round.Number, s.Rewards[0].Round, s.Rewards[0].Amount.Tokens(), s.Stake.Tokens())
			return nil
		}
		if err := wait(ctx, 200*time.Millisecond); err != nil {
			return fmt.Errorf("the orchestrator is %s in round %d and its reward is %s (%s) after three minutes", s.State, s.Round.Number, s.Reward, s.Why)
		}
	}
}

// standing is what the page shows.
func (c *chain) standing(ctx context.Context, n *node) (s standing.Standing, err error) {
	text, err := get(ctx, n.gateway+web.StandingPath)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal([]byte(text), &s)
}

// awaitPage waits until the page has something to show.
func (c *chain) awaitPage(ctx context.Context, n *node) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		resp, err := http.Get(n.gateway + web.StandingPath)
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		if wait(ctx, 50*time.Millisecond) != nil {
			return errors.New("the node does not see the test chain")
		}
	}
}
