package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/server/web"
)

// What the work costs. Text is priced in dollars per million tokens, by the chain's
// price feed.
const pricePerPixel = "1200" // wei

// What the gateway pays from.
const (
	deposit = "0.05ETH"
	reserve = "0.05ETH"
)

// register has the orchestrators' accounts join the network, with the tool that an
// operator uses, and begins the round in which they are active.
func (c *chain) register(ctx context.Context, opt options, n *node, out io.Writer) error {
	for _, o := range []struct {
		*orchestrator
		account core.Address
	}{{n.first, c.orchestrator}, {n.second, c.second}} {
		err := c.tool(ctx, opt, o.admin, o.dir, "orchestrator", "activate",
			"--reward-cut", "10", "--fee-cut", "95", "--stake", fmt.Sprint(stake), "--service-uri", o.uri(),
			"--price-per-unit", pricePerPixel)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "ok: %s is registered with %d LPT, by tutti_cli orchestrator activate\n", o.account, stake)
	}
	if _, err := c.process.Control.NextRound(ctx, true); err != nil {
		return err
	}
	for _, o := range []*orchestrator{n.first, n.second} {
		if err := c.await(ctx, n, o.admin, "the "+o.name+" is not active",
			func(s adminapi.PublicStatus) bool { return s.State == adminapi.PublicActive }); err != nil {
			return err
		}
	}
	return nil
}

// deposit gives the gateway what it pays from.
func (c *chain) deposit(ctx context.Context, opt options, n *node, out io.Writer) error {
	if err := c.tool(ctx, opt, n.gatewayAdmin, n.gatewayDir, "deposit", "fund", "--deposit", deposit, "--reserve",
		reserve); err != nil {
		return err
	}
	fmt.Fprintf(out, "ok: the gateway %s has a deposit of %s and a reserve of %s, by tutti_cli deposit fund\n", c.gateway,
		deposit, reserve)
	return nil
}

// tool runs tutti_cli until it succeeds: a round may end in between, and running it
// again goes on at the open step.
func (c *chain) tool(ctx context.Context, opt options, admin, dataDir string, words ...string) error {
	args := append(words, "--url", "http://"+admin, "--token-file", filepath.Join(dataDir, "admin.token"), "--yes",
		"--json")
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for {
		text, err := exec.CommandContext(ctx, opt.sibling("tutti_cli"), args...).CombinedOutput()
		if err == nil {
			return nil
		}
		if !passing(text) {
			return fmt.Errorf("tutti_cli %s %s: %w\n%s", words[0], words[1], err, text)
		}
		if err := wait(ctx, time.Second); err != nil {
			return fmt.Errorf("tutti_cli %s %s: %w\n%s", words[0], words[1], err, text)
		}
	}
}

// passing says that a refusal ends by itself.
func passing(text []byte) bool {
	for _, code := range []string{"RoundNotInitialized", "RoundLocked", "ChainNotReady"} {
		if bytes.Contains(text, []byte(code)) {
			return true
		}
	}
	return false
}

// awaitReward waits until the orchestrator was rewarded.
func (c *chain) awaitReward(ctx context.Context, n *node, out io.Writer) error {
	return c.await(ctx, n, n.admin, "the orchestrator was not rewarded", func(s adminapi.PublicStatus) bool {
		if s.State != adminapi.PublicActive || len(s.Rewards) == 0 || s.Rewards[0].Amount.IsZero() {
			return false
		}
		fmt.Fprintf(out, "ok: active in round %d, called reward in round %d: +%s LPT, stake %s LPT\n",
			s.Round.Number, s.Rewards[0].Round, s.Rewards[0].Amount.Tokens(), s.Stake.Tokens())
		return true
	})
}

// await looks at an orchestrator's place on the chain until it is good. lack is
// what is said when it never is.
func (c *chain) await(ctx context.Context, n *node, admin, lack string, good func(adminapi.PublicStatus) bool) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	for {
		s, known, err := chainStatus(ctx, admin)
		if err == nil && known && good(s) {
			return nil
		}
		if ended := n.ended(); ended != nil {
			return ended
		}
		if wait(ctx, 200*time.Millisecond) != nil {
			return errors.Join(fmt.Errorf("%s after three minutes: it is %q in round %d, its reward %q (%s)", lack, s.State,
				s.Round.Number, s.Reward, s.Why), err)
		}
	}
}

// chainStatus returns what an orchestrator's page shows, once the node sees the chain.
func chainStatus(ctx context.Context, admin string) (s adminapi.PublicStatus, known bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+web.ChainStatusPath, nil)
	if err != nil {
		return s, false, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return s, false, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusNoContent:
		return s, false, nil
	case http.StatusOK:
		return s, true, json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(&s)
	}
	return s, false, fmt.Errorf("%s: %w %s", web.ChainStatusPath, errStatus, resp.Status)
}
