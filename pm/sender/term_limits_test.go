package sender_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/sender"
)

func TestNamesAreBounded(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n) }
	for name, row := range map[string]struct {
		change func(*sender.Terms)
		want   fault.Code
	}{
		"a session that fits": {func(t *sender.Terms) { t.Session = core.SessionID(long(64)) }, ""},
		"a session":           {func(t *sender.Terms) { t.Session = core.SessionID(long(65)) }, fault.OrchestratorUnusable},
		"an address":          {func(t *sender.Terms) { t.Peer = long(257) }, fault.OrchestratorUnusable},
		"an account":          {func(t *sender.Terms) { t.Key = core.ManifestID(long(1 << 20)) }, fault.OrchestratorUnusable},
		"a stream": {func(t *sender.Terms) { t.Stream = core.ManifestID(long(1 << 20)) },
			fault.OrchestratorUnusable},
		"a model that fits": {func(t *sender.Terms) {
			t.Model = long(pm.MaxModelID)
			t.Key = core.ManifestID("33_" +
				t.Model)
		}, ""},
		"a model": {func(t *sender.Terms) { t.Model = long(pm.MaxModelID + 1) }, fault.OrchestratorUnusable},
		"free, and long": {func(t *sender.Terms) { t.Price.PerUnit = 0; t.Session = core.SessionID(long(65)) },
			fault.OrchestratorUnusable},
		"free, no params": {func(t *sender.Terms) { t.Price.PerUnit = 0; t.Params = nil }, ""},
		"expired":         {func(t *sender.Terms) { t.Params.ExpirationBlock = 1001 }, fault.TicketParamsStale},
		"for days":        {func(t *sender.Terms) { t.Params.ExpirationBlock = 11_001 }, fault.TicketParamsUnusable},
		"for a day":       {func(t *sender.Terms) { t.Params.ExpirationBlock = 11_000 }, ""},
		"forever":         {func(t *sender.Terms) { t.Params.ExpirationBlock = 1<<63 - 1 }, fault.TicketParamsUnusable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), nil)
			offer := terms(params(1, 30), row.change)
			if err := k.Check(offer); fault.CodeOf(err) != row.want && (err != nil || row.want != "") {
				t.Errorf("checked: %v, want %q", err, row.want)
			}
			p, err := k.Pay(t.Context(), offer, 1)
			if err == nil {
				p.Settle(sender.Unsent, 0)
			}
			if fault.CodeOf(err) != row.want && (err != nil || row.want != "") {
				t.Errorf("paid: %v, want %q", err, row.want)
			}
			if err != nil && len(k.Balances()) > 0 {
				t.Error("what was refused is remembered")
			}
		})
	}
}

// A payment that was refused leaves no balance behind, and one that was there stays.
func TestRefusedPaymentsLeaveNoBalance(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	pay(t, k, terms(params(1, 30), nil), 10).Settle(sender.Served, 10)
	k.chain.change(func() { k.chain.funds.Deposit = wei("0") })
	for _, key := range []core.ManifestID{"33_m", "a", "b", "c"} {
		if _, err := k.Pay(t.Context(), terms(params(1, 30), func(t *sender.Terms) { t.Key = key }), 100); err == nil {
			t.Fatal("paid")
		}
	}
	roughly(t, k.Balances()[0].Value, 20)
	if n := len(k.Balances()); n != 1 {
		t.Errorf("%d balances", n)
	}
}

// An orchestrator that says it got less than it did does not make us forget what we
// owe it.
func TestShortForgetsNoDebt(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	offer := terms(params(1, 30), nil)
	pay(t, k, offer, 30).Settle(sender.Served, 95) // tickets for 30
	owed := k.Balances()[0].Value
	if owed.Sign() >= 0 {
		t.Fatal(owed)
	}
	pay(t, k, offer, 10).Settle(sender.Short, 0)
	if got := k.Balances()[0].Value; got.Cmp(owed) != 0 {
		t.Errorf("%s is owed, was %s", got, owed)
	}
	// What others put in meanwhile is in doubt, what they owe is not.
	a, b := pay(t, k, offer, 10), pay(t, k, offer, 10)
	a.Settle(sender.Served, 0)
	b.Settle(sender.Short, 0)
	if got := k.Balances()[0].Value; got.Sign() > 0 {
		t.Errorf("%s is counted on", got)
	}
}

func TestOneOrchestratorsSessionsAreBounded(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	free := func(owner string, n int) error {
		p, err := k.Pay(t.Context(), terms(nil, func(t *sender.Terms) {
			t.Owner, t.Price, t.Model = owner, pm.Price{PixelsPerUnit: 1}, ""
			t.Session = core.SessionID([]byte{byte(n >> 8), byte(n)})
			t.Key = core.ManifestID(t.Session)
			t.Peer = "https://o:" + string(t.Session) // its own choice
		}), 1)
		if err == nil {
			p.Settle(sender.Unsent, 0)
		}
		return err
	}
	for n := range 1 << 14 {
		if err := free("o", n); err != nil {
			t.Fatal(err)
		}
	}
	if err := free("o", 1<<14); !errors.Is(err, fault.SessionsTooMany) {
		t.Error(err)
	}
	if err := errors.Join(free("o", 0), free("another", 1<<14)); err != nil {
		t.Error(err)
	}
	k.clock.Forward(priceIdle)
	k.Sweep()
	if err := free("o", 1<<14); err != nil || len(k.Balances()) != 1 {
		t.Error(err, len(k.Balances()))
	}
}
