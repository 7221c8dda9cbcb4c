package main

import (
	"context"
	"log/slog"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/server/admin"
	"github.com/tuttinode/tutti/test/coretest"
)

// parts are what a node without the chain gives the admin API.
type parts struct {
	mu     sync.Mutex
	prices protocol.GasPrices
	price  core.UnitPrice
	face   core.Wei
}

func (p *parts) GasPrices(context.Context) (protocol.GasPrices, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.prices, nil
}

func (p *parts) SetGasBounds(lowest, highest *core.Wei) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if lowest != nil {
		p.prices.Min = *lowest
	}
	if highest != nil {
		p.prices.Max = *highest
	}
	return nil
}

func (p *parts) PricePerPixel(core.Address) (*big.Rat, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.price.WeiPerPixel()
}

func (p *parts) SetPrice(_ context.Context, _ core.Address, price core.UnitPrice) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.price = price
	return nil
}

func (p *parts) List() []pricing.ListedPrice { return nil }

func (p *parts) AutoAdjust() bool { return false }

func (p *parts) SetMaxFaceValue(most core.Wei) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.face = most
	return nil
}

func (p *parts) SetMaxSessions(int) {}

func (p *parts) SignMessage(_ context.Context, m []byte) ([]byte, error) {
	return append(make([]byte, 63), byte(len(m)), 27), nil
}

func (p *parts) SignTypedData(ctx context.Context, m []byte) ([]byte, error) {
	return p.SignMessage(ctx, m)
}

func (p *parts) Status() protocol.RewardStatus {
	return protocol.RewardStatus{Mode: protocol.RewardAuto, State: protocol.RewardDone, Round: 101, LastRewardRound: 100}
}

func (p *parts) Node() adminapi.Node {
	return adminapi.Node{Version: "1.2.3", Roles: []string{"orchestrator"}, Network: "devnet", NetworkVersion: "0.9.1",
		Started: fakeNow}
}

func (p *parts) ServiceAddress() adminapi.ServiceAddress {
	return adminapi.ServiceAddress{Advertised: "node.example.com:8935", Reachable: adminapi.ReachYes}
}

func (p *parts) Endpoints() []adminapi.Endpoint {
	return []adminapi.Endpoint{{Name: "rpc.example.com", State: "healthy", Head: 7}}
}

// realNode is the node's own admin API over the chain in memory.
func realNode(t *testing.T) (*tool, *coretest.Chain, *parts) {
	t.Helper()
	chain, p, dir := coretest.NewChain(self, core.Address{}),
		&parts{prices: protocol.GasPrices{Current: core.NewWei(10_000_000)}}, t.TempDir()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	board.Set(health.Key{Code: fault.PortClosed, About: "host:8935"}, "no answer")
	s := admin.New(admin.Options{
		Access: admin.Access{DataDir: dir}, Listen: "127.0.0.1:0", Orchestrator: true, MaxSessions: 10,
		Log: slog.New(slog.DiscardHandler),
		Node: admin.Node{
			SetMaxSessions: p.SetMaxSessions, Conditions: board.Snapshot, Describe: p.Node, ServiceAddress: p.ServiceAddress,
		},
		Market: admin.Market{Prices: p, SetMaxFaceValue: p.SetMaxFaceValue},
		Chain: &admin.Chain{Rounds: chain, Stakes: chain, Settings: chain, Funds: chain, Actor: chain, Views: chain, Gas: p,
			Signer: p, Endpoints: p.Endpoints, Reward: p.Status},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var serving sync.WaitGroup
	ready := make(chan struct{})
	serving.Go(func() {
		if err := s.Run(ctx, func() { close(ready) }); err != nil {
			t.Error(err)
		}
	})
	<-ready
	t.Cleanup(func() {
		cancel()
		serving.Wait()
	})
	o := &tool{t: t, node: &fakeNode{url: "http://" + s.Addr().String()}, home: t.TempDir(), env: map[string]string{}}
	o.extra = []string{"--dataDir", dir}
	return o, chain, p
}

// The verbs against the node's own handlers: a life on the chain, each answer in
// the form of its schema.
func TestAgainstTheNode(t *testing.T) {
	t.Parallel()
	o, chain, p := realNode(t)
	run := func(line string) string {
		t.Helper()
		out := o.ok(append(strings.Fields(line), "--json")...)
		words := strings.Fields(line)
		name := words[0]
		if len(words) > 1 && !strings.HasPrefix(words[1], "-") {
			if _, ok := schemaOf(name + " " + words[1]); ok {
				name += " " + words[1]
			}
		}
		valid(t, name, out)
		o.ok(strings.Fields(line)...)
		return out
	}
	for _, line := range []string{"status", "node", "round", "parameters", "orchestrators", "conditions", "transactions",
		"stake locks", "deposit status", "reward status", "gas show"} {
		run(line)
	}
	plan := run("orchestrator activate --reward-cut 10 --fee-cut 5 --stake 1000 --service-uri " +
		"https://node.example.com:8935 --price-per-unit 1200 --dry-run")
	if !strings.Contains(plan, `"name": "set-commission"`) {
		t.Error(plan)
	}
	done := run("orchestrator activate --reward-cut 10 --fee-cut 5 --stake 1000 --service-uri " +
		"https://node.example.com:8935 --price-per-unit 1200 --yes")
	if !strings.Contains(done, `"activeFrom"`) || p.price.String() != "1200 wei per 1" {
		t.Error(done, p.price)
	}
	o1, err := chain.Orchestrator(t.Context(), self)
	if err != nil || !o1.Registered || o1.RewardCut != 100_000 || o1.FeeShare.Rest() != 50_000 ||
		o1.ServiceURI != "https://node.example.com:8935" {
		t.Errorf("%+v %v", o1, err)
	}
	for _, line := range []string{
		"stake bond --to " + self.String() + " --amount 5 --yes", "stake status", "status", "transactions",
		"gas set --max 5gwei --yes", "sessions set 7 --yes", "sign message hello", "price set --price-per-unit 5 --yes",
		"ticket max-face-value 100gwei --yes", "price gateway default --price-per-unit 7 --yes",
		"deposit fund --deposit 0.1ETH --reserve 0.1ETH --yes", "token transfer --to " + other.String() + " --amount 1 --yes",
	} {
		run(line)
	}
	chain.ToRound(101)
	chain.Open()
	for _, line := range []string{"reward call --yes", "stake unbond --amount 7 --yes", "stake locks",
		"stake rebond 0 --yes"} {
		o.ok(strings.Fields(line)...)
	}
	o.refused(exitFailed, "AdminPartAbsent", strings.Fields("broadcast max-price --pipeline llm --max-price 1 --yes")...)
	o.refused(exitFailed, "RoundAlreadyInitialized", strings.Fields("round initialize --yes")...)
	o.refused(exitFailed, "UnbondingLockUnknown", strings.Fields("stake withdraw 99 --yes")...)
}

// A run that breaks in the middle goes on at the open step, also by verbs.
func TestResumeAgainstTheNode(t *testing.T) {
	t.Parallel()
	o, chain, _ := realNode(t)
	args := strings.Fields("orchestrator activate --reward-cut 10 --fee-cut 5 --stake 1000 --service-uri " +
		"https://node.example.com:8935 --yes")
	chain.Refuse(func(a protocol.Action) error {
		if _, ok := a.(protocol.SetServiceURI); ok {
			return fault.New(fault.GasMoneyMissing, "send", "the account is empty")
		}
		return nil
	})
	status, out, errs := o.run(args...)
	if status != exitFailed || !strings.Contains(errs, "GasMoneyMissing: step 4 of 4") ||
		!strings.Contains(errs, "go on from here") {
		t.Errorf("%d %s%s", status, out, errs)
	}
	chain.Refuse(nil)
	sent := len(chain.Sent())
	out = o.ok(append(args, "--json")...)
	valid(t, "orchestrator activate", out)
	if n := len(chain.Sent()) - sent; n != 1 {
		t.Errorf("%d actions were sent for the one that was left", n)
	}
	out = o.ok(append(args, "--json")...)
	if len(chain.Sent()) != sent+1 || !strings.Contains(out, `"rank": 1`) || !strings.Contains(out, `"activeFrom": 101`) {
		t.Errorf("nothing was left to do: %s", out)
	}
	chain.Mine(1, 47)
	o.refused(exitFailed, "RoundLocked", strings.Fields("orchestrator config --reward-cut 11 --yes")...)
}
