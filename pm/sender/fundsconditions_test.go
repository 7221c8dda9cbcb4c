package sender_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm/sender"
)

func TestFundsAreWatched(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	k.chain.change(func() { k.chain.funds.Deposit = wei("0") })
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx, func() {}) }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for k.board.Healthy() {
		<-tick.C
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if c := k.board.Snapshot(); len(c) != 1 || c[0].Code != fault.OwnDepositEmpty || c[0].Remedy() == "" {
		t.Errorf("%+v", c)
	}
	k.chain.change(func() { k.chain.funds.Deposit = wei("100") })
	if _, err := k.Pay(t.Context(), terms(params(1, 30), nil), 1); !errors.Is(err, fault.TicketFaceValueHigh) {
		t.Error(err)
	}
	key := health.Key{Code: fault.TicketFaceValueHigh, About: orchestrator.String()}
	has := func() bool {
		for _, c := range k.board.Snapshot() {
			if c.Code == key.Code && c.About == key.About {
				return true
			}
		}
		return false
	}
	if !has() {
		t.Errorf("%+v", k.board.Snapshot())
	}
	k.clock.Forward(10 * time.Minute)
	if k.Sweep(); has() {
		t.Error("an orchestrator that is not paid any more is reported")
	}
}

// What is wrong with the funds goes from the board when they are found in order,
// also by a payment that fails for another reason.
func TestFundsAreSaidToBeInOrderAgain(t *testing.T) {
	t.Parallel()
	large := func(t *sender.Terms) { t.Price.PerUnit, t.Model = 3e12, "large" }
	for name, row := range map[string]struct {
		before func(*chain)
		trial  *sender.Terms
		left   fault.Code
	}{
		"a face value too high": {func(c *chain) { c.funds.Reserve = protocol.Reserve{} }, terms(params(2, 1e12), nil),
			fault.TicketFaceValueHigh},
		"a payment too large": {func(c *chain) { c.funds.WithdrawRound = 8 }, terms(params(2, 2_900_000_000_000), large),
			""},
		"a ticket too expensive": {func(c *chain) { c.funds.Deposit = wei("0") }, terms(params(2, 3_000_000_000_001), nil),
			""},
		"a payment that works": {func(c *chain) { c.funds.Deposit = wei("0") }, terms(params(2, 30), nil), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), nil)
			k.chain.change(func() { row.before(k.chain) })
			if _, err := k.Pay(t.Context(), terms(params(1, 30), nil), 1); err == nil || k.board.Healthy() {
				t.Fatal(err)
			}
			k.chain.change(func() {
				k.chain.funds = newChain().funds
				k.chain.funds.Deposit = wei("50000000000000")
			})
			_, _ = k.Pay(t.Context(), row.trial, 100)
			left := fault.Code("")
			for _, c := range k.board.Snapshot() {
				left = c.Code
			}
			if left != row.left || len(k.board.Snapshot()) > 1 {
				t.Errorf("%+v, want %q", k.board.Snapshot(), row.left)
			}
		})
	}
}

// Another problem of the funds takes the place of the one before.
func TestOneTroubleOfTheFundsAtATime(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	for _, row := range []struct {
		change func(*protocol.Sender)
		want   fault.Code
	}{
		{func(s *protocol.Sender) { s.Deposit = wei("0") }, fault.OwnDepositEmpty},
		{func(s *protocol.Sender) { s.Reserve = protocol.Reserve{} }, fault.OwnReserveEmpty},
		{func(s *protocol.Sender) { s.WithdrawRound = 8 }, fault.OwnFundsUnlocking},
	} {
		k.chain.change(func() { k.chain.funds = newChain().funds; row.change(&k.chain.funds) })
		_, _ = k.Pay(t.Context(), terms(params(1, 30), nil), 1)
		if c := k.board.Snapshot(); len(c) != 1 || c[0].Code != row.want {
			t.Errorf("%+v, want %s", c, row.want)
		}
	}
}

// A gateway that was never funded lacks deposit and reserve: both are shown, so that its
// operator funds both at once. What a ticket costs says nothing of either.
func TestEverythingWrongWithTheFundsIsShown(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	codes := func() (out []string) {
		for _, c := range k.board.Snapshot() {
			out = append(out, string(c.Code))
		}
		slices.Sort(out)
		return out
	}
	k.chain.change(func() { k.chain.funds = protocol.Sender{} })
	_, _ = k.Pay(t.Context(), terms(params(1, 30), nil), 1)
	if got := codes(); !slices.Equal(got, []string{"OwnDepositEmpty", "OwnReserveEmpty"}) {
		t.Errorf("without any funds: %q", got)
	}
	k.chain.change(func() { k.chain.funds = newChain().funds })
	if _, err := k.Pay(t.Context(), terms(params(2, 3_000_000_000_001), nil), 1); !errors.Is(err, fault.TicketEVHigh) {
		t.Error(err)
	}
	if got := codes(); len(got) != 0 {
		t.Errorf("funded: %q", got)
	}
}

// An unlock that runs is a condition from its first round on, while tickets are still
// taken, and goes when it is canceled.
func TestRunningUnlockIsShown(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	unlock := func(round protocol.Round) []health.Condition {
		k.chain.change(func() { k.chain.funds.WithdrawRound = round })
		if _, err := k.Pay(t.Context(), terms(params(1, 30), nil), 100); err != nil {
			t.Fatal(err)
		}
		return k.board.Snapshot()
	}
	if c := unlock(107); len(c) != 1 || c[0].Code != fault.OwnFundsUnlocking ||
		!strings.Contains(c[0].Detail, "from round 106 on") {
		t.Errorf("%+v", c)
	}
	if c := unlock(0); len(c) != 0 {
		t.Errorf("%+v", c)
	}
}

// Recipients that are made up do not fill the board.
func TestFaceValuesAreToldOfAFew(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	k.chain.change(func() { k.chain.funds.Deposit = wei("10") })
	for n := range 200 {
		p := params(1, 30)
		p.Recipient = core.Address{7, byte(n)}
		if _, err := k.Pay(t.Context(), terms(p, nil), 1); !errors.Is(err, fault.TicketFaceValueHigh) {
			t.Fatal(err)
		}
	}
	if n := len(k.board.Snapshot()); n != 64 {
		t.Errorf("%d conditions", n)
	}
	k.clock.Forward(10 * time.Minute)
	if k.Sweep(); !k.board.Healthy() {
		t.Error("they stay")
	}
}
