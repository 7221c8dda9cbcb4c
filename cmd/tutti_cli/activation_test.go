//go:build linux || darwin

package main

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
)

const become = `Invoke multi-step "become an orchestrator"`

// parametersOf answers the questions up to the stake.
func parametersOf(s *screen, rewardCut, feeCut, price, uri string) {
	s.t.Helper()
	s.expect("Reward cut: the part of the tokens")
	s.say("Reward cut in percent (default: ", rewardCut)
	s.expect("Fee cut: the part of the fees")
	s.say("Fee cut in percent (default: ", feeCut)
	s.say("Pixels per unit (default: 1) > ", "")
	s.say("Currency (default: Wei) > ", "")
	s.say("Price per unit (default: 0) > ", price)
	s.expect("Service address: where gateways reach you")
	s.say("Public address (https://host:port)", uri)
}

func TestBecomeAnOrchestrator(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s := start(t, f, 200, nil)
	s.choose(become)
	s.expect("0x0000000000000000000000000000000000000001 has 2 ETH for gas and 5000 LPT to stake")
	s.say("Reward cut in percent (default: 10) > ", "0.1")
	s.expect("2. 10 %")
	s.say("Which is meant? > ", "2")
	s.say("Fee cut in percent (default: 95) > ", "0")
	s.expect("all fees go to delegators")
	s.say("Which is meant? > ", "2")
	s.say("Fee cut in percent (default: 95) > ", "")
	s.say("Pixels per unit (default: 1) > ", "")
	s.say("Currency (default: Wei) > ", "")
	s.say("Price per unit (default: 0) > ", "0.5")
	s.expect("a fraction without a currency")
	s.say("Price per unit (default: 0) > ", "")
	s.expect("you work for free")
	s.say("Which is meant? > ", "2")
	s.say("Price per unit (default: 0) > ", "1200")
	s.say("(default: https://node.example.com:8935) > ", "https://10.0.0.1:8935")
	s.expect("no public address")
	s.say("Which is meant? > ", "2")
	s.say("(default: https://node.example.com:8935) > ", "https://8.8.8.8:8935")
	s.expect("Note: a domain name is better")
	s.expect("2 of 100 ranks taken")
	s.expect("There is no fixed minimum")
	s.say("Stake in LPT (whole tokens) > ", "1000")
	s.expect("bond 1000 LPT to your own address")
	s.expect("Fees in all")
	s.say("Begin? 3 steps cost about 105000 gwei", "y")
	for _, step := range []string{"Step 1 of 3: bond", "Step 2 of 3: keep 10 %", "Step 3 of 3: publish"} {
		s.expect(step)
		s.expect("fee 35000 gwei")
		s.say("Send this step? [y/N] > ", "y")
		s.expect("is mined")
	}
	s.expect("Rank in the pool")
	s.expect("from round 8 on, in about 20 minutes")
	s.choose("Exit")
	status := s.status()
	f.mu.Lock()
	defer f.mu.Unlock()
	if status != exitOK || f.price != "1200" || f.orchestrator.FeeCut != 950_000 || f.orchestrator.RewardCut != 100_000 {
		t.Errorf("status %d, %+v, price %s", status, f.orchestrator, f.price)
	}
}

// A step that fails leaves the ones before it, and the next run goes on from it.
func TestActivationGoesOnWhereItBroke(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.with(func() { f.fails["set-commission"] = "execution reverted" })
	s := start(t, f, 200, nil)
	s.choose(become)
	parametersOf(s, "", "", "1200", "")
	s.say("Stake in LPT (whole tokens) > ", "1000")
	s.say("Begin? 3 steps", "y")
	s.say("Send this step? [y/N] > ", "y")
	s.say("Send this step? [y/N] > ", "y")
	s.expect("ContractReverted: step 2 of 3 (keep 10 %")
	s.expect("run the same again to go on from here")
	s.expect("Remedy: read the reason")
	f.with(func() { delete(f.fails, "set-commission") })
	s.choose(become)
	parametersOf(s, "10", "95", "1200", "")
	s.expect("You have bonded 1000 LPT to yourself already")
	s.say("Begin? 2 steps", "y")
	s.expect("Step 1 of 2: keep 10 %")
	s.say("Send this step? [y/N] > ", "y")
	s.say("Send this step? [y/N] > ", "n")
	s.expect("ActionDeclined: step 2 of 2 (publish")
	s.choose("Exit")
	status := s.status()
	f.mu.Lock()
	defer f.mu.Unlock()
	if status != exitOK || f.orchestrator.FeeCut != 950_000 || f.orchestrator.ServiceURI != "" {
		t.Errorf("status %d, %+v", status, f.orchestrator)
	}
}

func TestActivationRefusedFirst(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(*fakeNode)
		shows   []string
	}{
		{"locked", func(f *fakeNode) { f.chain.Round.Locked, f.chain.Head.L1 = true, 590 },
			[]string{"RoundLocked", "from round 8 on, after 10 more layer-1 blocks, in about 2 minutes"}},
		{"locked, last block", func(f *fakeNode) { f.chain.Round.Locked, f.chain.Head.L1 = true, 599 },
			[]string{"after 1 more layer-1 block, in about 1 minute\n"}},
		{"locked, devnet", func(f *fakeNode) { testnet(f); f.chain.Round.Locked, f.chain.Head.L1 = true, 590 },
			[]string{"from round 8 on, in 10 layer-1 blocks\n"}},
		{"no ETH", func(f *fakeNode) { f.balances.Ether = core.Wei{} },
			[]string{"GasMoneyMissing", "send some to 0x0000000000000000000000000000000000000001 on arbitrum-one-mainnet"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			f.with(func() { tt.prepare(f) })
			s := start(t, f, 200, nil)
			s.choose(become)
			for _, text := range tt.shows {
				s.expect(text)
			}
			s.choose("Exit")
			if status := s.status(); status != exitOK || f.requests() != "" {
				t.Errorf("status %d, %s", status, f.requests())
			}
		})
	}
}

func TestActivationWithoutTokens(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.with(func() { f.balances.Token = core.LPT{} })
	s := start(t, f, 200, nil)
	s.choose(become)
	parametersOf(s, "", "", "1200", "")
	s.expect("TokensMissing: there are no tokens to stake: send LPT to 0x0000000000000000000000000000000000000001")
	s.choose("Exit")
	s.status()
}

func TestActivationWithALock(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	f.with(func() {
		f.locks = []adminapi.UnbondingLock{{ID: 3, Amount: core.LPTTokens(7), WithdrawRound: 6}}
		testnet(f)
	})
	s := start(t, f, 200, nil)
	s.choose(become)
	parametersOf(s, "", "", "1200", "https://127.0.0.1:8935")
	s.say("Bond one of these unbonding locks again? [y/N] > ", "y")
	s.say("Unbonding lock > ", "3")
	s.say("Begin? 3 steps", "n")
	s.expect("ActionDeclined")
	s.choose("Exit")
	if status := s.status(); status != exitOK || f.requests() != "" {
		t.Errorf("status %d, %s", status, f.requests())
	}
}

// A verb on a terminal asks a new orchestrator for what was left out; a script gets a refusal.
func TestNewcomerSaysEverything(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	s := start(t, f, 200, nil, "orchestrator", "activate", "--reward-cut", "10", "--stake", "1000", "--yes")
	s.say("Fee cut in percent (default: 95) > ", "")
	s.say("Public address (https://host:port)", "")
	s.expect("from round 8 on")
	if status := s.status(); status != exitOK {
		t.Errorf("status %d", status)
	}
	o := newTool(t)
	o.refused(exitUsage, "--fee-cut is missing: an account",
		strings.Fields("orchestrator activate --reward-cut 10 --yes")...)
	o.refused(exitUsage, "--stake is missing",
		strings.Fields("orchestrator activate --reward-cut 10 --fee-cut 5 "+
			"--service-uri https://node.example.com:8935 --yes")...)
}

// A plan whose next step is blocked ends before any question.
func TestActivationBlocked(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.refuse["set-commission"] = adminapi.Error{Code: "RoundLocked", Message: "locked", Remedy: "wait"}
	o.node.chain.Round.Locked = true
	args := strings.Fields("orchestrator activate --reward-cut 10 --fee-cut 95 --service-uri " +
		"https://node.example.com:8935 --unbonding-lock 0 --yes --json")
	status, out, _ := o.run(args...)
	valid(t, "error", out)
	if status != exitFailed || !strings.Contains(out, "in about 20 minutes") || o.node.requests() != "" {
		t.Errorf("%d %s %s", status, out, o.node.requests())
	}
}

// A dry run of a plan whose next step is blocked says so, and is a failure.
func TestDryRunOfABlockedPlan(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	o.node.refuse["set-commission"] = adminapi.Error{Code: "RoundLocked", Message: "locked", Remedy: "wait"}
	o.node.chain.Round.Locked = true
	args := strings.Fields("orchestrator config --reward-cut 10 --fee-cut 95 --dry-run")
	status, out, errs := o.run(args...)
	if status != exitFailed || errs != "" || !strings.Contains(out, "RoundLocked: round 7 is locked until its end") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	status, out, _ = o.run(append(args, "--json")...)
	valid(t, "orchestrator config", out)
	if status != exitFailed || !strings.Contains(out, `"code": "RoundLocked",`) ||
		!strings.Contains(out, `"blocked": {`) ||
		o.node.requests() != "" {
		t.Errorf("%d %s %s", status, out, o.node.requests())
	}
	delete(o.node.refuse, "set-commission")
	if out := o.ok(append(args, "--json")...); !strings.Contains(out, `"blocked": null`) {
		t.Error(out)
	}
}

// The whole way through the menu, against the node's own handlers.
func TestBecomeAnOrchestratorAtTheNode(t *testing.T) {
	t.Parallel()
	o, chain, _ := realNode(t)
	s := start(t, o.node, 200, []string{"TUTTI_ADMIN_TOKEN="}, o.extra...)
	s.choose(become)
	parametersOf(s, "20", "95", "1200", "https://127.0.0.1:8935")
	s.say("Stake in LPT (whole tokens) > ", "1000")
	s.say("Begin? 4 steps cost about", "y")
	for range 4 {
		s.say("Send this step? [y/N] > ", "y")
		s.expect("is mined")
	}
	s.expect("Rank in the pool")
	s.expect("from round 101 on")
	s.choose("Exit")
	self, err := chain.Orchestrator(t.Context(), self)
	if status := s.status(); status != exitOK || err != nil || !self.Registered || self.RewardCut != 200_000 ||
		self.ServiceURI != "https://127.0.0.1:8935" {
		t.Errorf("status %d, %+v, %v", status, self, err)
	}
}
