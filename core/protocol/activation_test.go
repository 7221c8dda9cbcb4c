package protocol_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/coretest"
)

var activationMe = core.Address{1}

func setup() (*coretest.Chain, protocol.ActivationPlanner) {
	c := coretest.NewChain(activationMe, core.Address{})
	return c, protocol.ActivationPlanner{Rounds: c, Stakes: c, Funds: c, Settings: c, Actor: c}
}

func wish() protocol.ActivationWish {
	cut, share := core.PerMillion(100_000), core.PerMillion(50_000)
	return protocol.ActivationWish{RewardCut: &cut, FeeShare: &share, ServiceURI: "https://h.example.org:8935",
		Stake: core.LPTTokens(1000)}
}

func open(p protocol.ActivationPlan) string {
	var names []string
	for _, s := range p.Steps {
		if !s.Done {
			names = append(names, s.Name)
		}
	}
	return strings.Join(names, " ")
}

func plan(t *testing.T, p protocol.ActivationPlanner, w protocol.ActivationWish) protocol.ActivationPlan {
	t.Helper()
	got, err := p.Plan(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestFourSteps(t *testing.T) {
	t.Parallel()
	c, p := setup()
	got := plan(t, p, wish())
	if open(got) != "approve bond setCommission setServiceURI" || got.Blocked != nil {
		t.Fatalf("plan %s, blocked by %v", open(got), got.Blocked)
	}
	if got.Fee.IsZero() || got.Token.Tokens() != "1000" || got.Rank != 1 || got.Active != c.View().Round.Number+1 {
		t.Errorf("fee %s, token %s, rank %d, active in %d", got.Fee, got.Token, got.Rank, got.Active)
	}
	if got.Steps[0].Typical || !got.Steps[1].Typical {
		t.Errorf("the first step is measured, the others are not: %+v", got.Steps)
	}
	done, left, err := p.Run(context.Background(), wish())
	if err != nil || len(done) != 4 || !left.Done() {
		t.Fatalf("%d steps, left %s, %v", len(done), open(left), err)
	}
	self, _ := c.Orchestrator(context.Background(), activationMe)
	if !self.Registered || self.RewardCut != 100_000 || self.FeeShare != 50_000 ||
		self.ServiceURI != "https://h.example.org:8935" {
		t.Errorf("record %+v", self)
	}
	again := plan(t, p, wish())
	if !again.Done() || again.Rank != 1 || again.Active != got.Active {
		t.Errorf("left after all: %s, rank %d, active in %d", open(again), again.Rank, again.Active)
	}
}

// Whichever step fails, the next run goes on there and repeats nothing.
func TestResumes(t *testing.T) {
	t.Parallel()
	verbs := strings.Fields("approve bond setCommission setServiceURI")
	for i, verb := range verbs {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			c, p := setup()
			c.Refuse(func(a protocol.Action) error {
				if a.Verb() == verb {
					return fault.New(fault.GasMoneyMissing, "send", "no gas")
				}
				return nil
			})
			done, _, err := p.Run(context.Background(), wish())
			if !errors.Is(err, fault.GasMoneyMissing) || len(done) != i {
				t.Fatalf("%d steps, %v", len(done), err)
			}
			c.Refuse(nil)
			done, _, err = p.Run(context.Background(), wish())
			if err != nil || len(done) != len(verbs)-i || len(c.Sent()) != len(verbs) {
				t.Errorf("%d steps the second time, %d in all, %v", len(done), len(c.Sent()), err)
			}
		})
	}
}

func TestInTheWay(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		prepare func(*coretest.Chain)
		change  func(*protocol.ActivationWish)
		code    fault.Code
	}{
		{"no tokens", func(c *coretest.Chain) { c.Give(activationMe, core.NewWei(1e18), core.LPTTokens(999)) }, nil,
			fault.TokensMissing},
		{"no gas money", func(c *coretest.Chain) { c.Give(activationMe, core.NewWei(1), core.LPTTokens(1000)) }, nil,
			fault.GasMoneyMissing},
		{"round not initialized", func(c *coretest.Chain) { c.ToRound(c.View().Round.Number + 1) }, nil,
			fault.RoundNotInitialized},
		{"round locked", func(c *coretest.Chain) { c.Mine(1, c.View().Round.LocksAt()-c.View().Head.L1) }, nil,
			fault.RoundLocked},
		{"not rewarded yet", func(c *coretest.Chain) {
			c.Activate(activationMe, core.LPTTokens(1000),
				"https://h.example.org:8935")
		},
			nil, fault.CommissionNeedsReward},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chain, p := setup()
			c.prepare(chain)
			got := plan(t, p, wish())
			if !errors.Is(got.Blocked, c.code) {
				t.Fatalf("blocked by %v, want %s", got.Blocked, c.code)
			}
			_, _, err := p.Run(context.Background(), wish())
			if !errors.Is(err, c.code) || len(chain.Sent()) != 0 {
				t.Errorf("%v, and %d transactions were sent", err, len(chain.Sent()))
			}
		})
	}
}

func TestFullActiveSet(t *testing.T) {
	t.Parallel()
	c, p := setup()
	for i := range 10 {
		c.Register(core.Address{9, byte(i)}, core.LPTTokens(1000), "")
	}
	got := plan(t, p, wish())
	if got.Rank != 0 || got.Active != 0 || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "1000 LPT each") {
		t.Errorf("equal stake: %+v", got)
	}
	more := wish()
	more.Stake = core.LPTTokens(1001)
	if got := plan(t, p, more); got.Rank != 1 || len(got.Warnings) != 0 {
		t.Errorf("one more: rank %d, %v", got.Rank, got.Warnings)
	}
}

func TestOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	c, p := setup()
	if _, _, err := p.Run(context.Background(), wish()); err != nil {
		t.Fatal(err)
	}
	w := protocol.ActivationWish{ServiceURI: "https://new.example.org:8935"}
	if got := plan(t, p, w); open(got) != "setServiceURI" {
		t.Errorf("plan %s", open(got))
	}
	more := wish()
	more.Stake = core.LPTTokens(1500)
	if got := plan(t, p, more); open(got) != "approve bond" || got.Token.Tokens() != "500" {
		t.Errorf("plan %s for %s LPT", open(got), got.Token.Tokens())
	}
	if n := len(c.Sent()); n != 4 {
		t.Errorf("%d transactions", n)
	}
}

func TestFromUnbondingLock(t *testing.T) {
	t.Parallel()
	c, p := setup()
	c.Activate(activationMe, core.LPTTokens(1000), "https://h.example.org:8935")
	if _, err := c.Send(context.Background(), protocol.Unbond{Amount: core.LPTTokens(1000)},
		protocol.SendOptions{}); err != nil {
		t.Fatal(err)
	}
	c.ToRound(c.View().Round.Number + 1)
	c.Open()
	w := wish()
	lock := protocol.LockID(0)
	w.Lock = &lock
	got := plan(t, p, w)
	if !strings.HasPrefix(open(got), "rebondFromUnbonded setCommission") {
		t.Fatalf("plan %s", open(got))
	}
	if _, _, err := p.Run(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if again := plan(t, p, w); !again.Done() {
		t.Errorf("left: %s", open(again))
	}
	lock = 7
	if _, err := p.Plan(context.Background(), w); !errors.Is(err, fault.UnbondingLockUnknown) {
		t.Errorf("unknown lock: %v", err)
	}
}

func TestWithoutAccount(t *testing.T) {
	t.Parallel()
	c := coretest.NewChain(core.Address{}, activationMe)
	p := protocol.ActivationPlanner{Rounds: c, Stakes: c, Funds: c, Actor: c}
	if _, err := p.Plan(context.Background(), wish()); !errors.Is(err, fault.AccountMissing) {
		t.Errorf("%v", err)
	}
}

// Stake that belongs to another orchestrator comes along with a bond to oneself.
func TestBondedElsewhere(t *testing.T) {
	t.Parallel()
	other := core.Address{2}
	for _, c := range []struct {
		name        string
		there, want uint64
		steps       string
		more        string
	}{
		{"part of it", 600, 1000, "approve bond setCommission setServiceURI", "400"},
		{"all of it", 1000, 1000, "bond setCommission setServiceURI", "0"},
		{"more than that", 1500, 1000, "bond setCommission setServiceURI", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			chain, p := setup()
			chain.Activate(other, core.LPTTokens(5000), "")
			send(t, chain, protocol.Approve{Amount: core.LPTTokens(c.there)})
			send(t, chain, protocol.Bond{Amount: core.LPTTokens(c.there), To: other})
			chain.ToRound(chain.View().Round.Number + 1)
			chain.Open()
			w := wish()
			w.Stake = core.LPTTokens(c.want)
			got := plan(t, p, w)
			if open(got) != c.steps || got.Token.Tokens() != c.more {
				t.Fatalf("plan %s for %s LPT", open(got), got.Token.Tokens())
			}
			if _, _, err := p.Run(context.Background(), w); err != nil {
				t.Fatal(err)
			}
			own, err := chain.Delegator(context.Background(), activationMe)
			if err != nil || own.Delegate != activationMe || own.PendingStake.Cmp(core.LPTTokens(max(c.there, c.want))) != 0 {
				t.Errorf("own bond %s at %s, %v", own.PendingStake.Tokens(), own.Delegate, err)
			}
		})
	}
}

// A step that is on its way is not taken again, whatever the chain says so far.
func TestStepInFlight(t *testing.T) {
	t.Parallel()
	c, p := setup()
	c.Hold(true)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for len(c.Sent()) == 0 {
			<-time.After(time.Millisecond)
		}
		cancel()
	}()
	if _, _, err := p.Run(ctx, wish()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, _, err := p.Run(context.Background(), wish()); !errors.Is(err, fault.StepInFlight) || len(c.Sent()) != 1 {
		t.Errorf("%v, and %d transactions were sent", err, len(c.Sent()))
	}
	c.Hold(false)
	c.Mine(1, 0)
	if done, _, err := p.Run(context.Background(), wish()); err != nil || len(done) != 3 {
		t.Errorf("%d further steps, %v", len(done), err)
	}
}

func send(t *testing.T, c *coretest.Chain, a protocol.Action) {
	t.Helper()
	if _, err := c.Send(context.Background(), a, protocol.SendOptions{}); err != nil {
		t.Fatal(err)
	}
}
