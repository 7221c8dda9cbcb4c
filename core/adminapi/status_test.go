package adminapi_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		o    protocol.Orchestrator
		want adminapi.PublicState
	}{
		{"never seen", protocol.Orchestrator{}, adminapi.PublicUnregistered},
		{"joined in this round", protocol.Orchestrator{Registered: true, ActivationRound: 11,
			DeactivationRound: protocol.Never}, adminapi.PublicWaiting},
		{"active", protocol.Orchestrator{Registered: true, Active: true, ActivationRound: 5,
			DeactivationRound: protocol.Never}, adminapi.PublicActive},
		{"evicted in this round", protocol.Orchestrator{Registered: true, Active: true, ActivationRound: 5,
			DeactivationRound: 11}, adminapi.PublicLeaving},
		{"evicted before", protocol.Orchestrator{Registered: true, ActivationRound: 5, DeactivationRound: 9},
			adminapi.PublicInactive},
		{"registered below the pool", protocol.Orchestrator{Registered: true}, adminapi.PublicInactive},
		{"resigned", protocol.Orchestrator{ActivationRound: 5, DeactivationRound: 9}, adminapi.PublicUnregistered},
	} {
		if got := adminapi.PublicStateOf(c.o); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestMake(t *testing.T) {
	t.Parallel()
	me := core.Address{1}
	chain := coretest.NewChain(me, core.Address{})
	if _, known := adminapi.NewPublicStatus(protocol.View{}, protocol.RewardStatus{}); known {
		t.Error("something is known of nothing")
	}
	chain.Activate(me, core.LPTTokens(1000), "https://h.example.org:8935")
	history := make([]protocol.PastReward, 20)
	for i := range history {
		history[i] = protocol.PastReward{Round: protocol.Round(100 - i), Outcome: protocol.RewardCalled,
			Amount: core.LPTTokens(5),
			Time:   time.Unix(1, 0)}
	}
	v := chain.View()
	got, known := adminapi.NewPublicStatus(v, protocol.RewardStatus{State: protocol.RewardDone, History: history})
	if !known || got.State != adminapi.PublicActive || got.Address != me || got.Stake.Tokens() != "1000" ||
		got.Members != 1 || got.FeeCut != core.Whole {
		t.Errorf("%+v", got)
	}
	if got.Round.Number != v.Round.Number || got.Round.Block < got.Round.Start || got.Round.Block >= got.Round.End {
		t.Errorf("round %+v", got.Round)
	}
	if len(got.Rewards) != 10 || got.Rewards[0].Round != 100 {
		t.Errorf("rewards %+v", got.Rewards)
	}
}

// Why a reward call failed names the operator's endpoints and quotes their answers, in which
// providers repeat keys: public pages show the table's words alone.
func TestWhyARewardFailedIsTheOperators(t *testing.T) {
	t.Parallel()
	me := core.Address{1}
	chain := coretest.NewChain(me, core.Address{})
	chain.Activate(me, core.LPTTokens(1000), "https://h.example.org:8935")
	for _, r := range []protocol.RewardStatus{
		{State: protocol.RewardFailed, Code: fault.ChainUnavailable, Reason: "rpc.example.org: project 0123abcd exceeded"},
		{State: protocol.RewardFailed, Code: "NoSuchCode", Reason: "rpc.example.org: project 0123abcd exceeded"},
		{State: protocol.RewardWaiting, Code: fault.RewardNotAllowed, Reason: "0123abcd"},
	} {
		s, _ := adminapi.NewPublicStatus(chain.View(), r)
		if strings.Contains(s.Why, "0123abcd") || strings.Contains(s.Why, "rpc.example.org") {
			t.Errorf("%s: %s", r.Code, s.Why)
		}
		if row, known := fault.Lookup(r.Code); known && s.Why != row.Cause {
			t.Errorf("%s: %q", r.Code, s.Why)
		}
	}
	const waits = "the round is not initialized"
	s, _ := adminapi.NewPublicStatus(chain.View(), protocol.RewardStatus{State: protocol.RewardWaiting, Reason: waits})
	if s.Why != waits {
		t.Errorf("what it waits for: %q", s.Why)
	}
}
