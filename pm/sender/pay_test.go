package sender_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/pm/sender"
)

func TestTicketsAreWhatIsMissing(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	offer := terms(params(1, 30), nil)
	p := pay(t, k, offer, 100)
	if len(p.Tickets) != 4 || p.Tickets[0].Nonce != 1 || p.Tickets[3].Nonce != 4 || !p.HasExpiration ||
		p.Sender != gateway || !p.Expected.Equal(offer.Price) {
		t.Fatalf("%+v", p.Payment)
	}
	p.Settle(sender.Served, 100)
	p.Settle(sender.Served, 1000) // does nothing
	roughly(t, k.Balances()[0].Value, 20)

	// 20 are there and one ticket's worth is wanted at least.
	p = pay(t, k, offer, 10)
	if len(p.Tickets) != 1 || p.Tickets[0].Nonce != 5 {
		t.Fatalf("%+v", p.Tickets)
	}
	roughly(t, k.Balances()[0].Value, 20) // the ticket pays for it
	p.Settle(sender.Served, 10)
	roughly(t, k.Balances()[0].Value, 40)

	p = pay(t, k, offer, 30)
	if len(p.Tickets) != 0 || p.Params != nil || p.HasExpiration || p.Expected == nil || p.Sender != gateway {
		t.Errorf("%+v", p.Payment)
	}
	p.Settle(sender.Served, 75)
	roughly(t, k.Balances()[0].Value, -35)
	if p = pay(t, k, offer, 30); len(p.Tickets) != 3 { // 30 + 35, a hair less
		t.Errorf("%d tickets for a debt of 35 and work for 30", len(p.Tickets))
	}
}

// A job leaves the rest of the balance to others, but for what orchestrators want to be there
// when it arrives.
func TestAJobTakesWhatItNeeds(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	offer := terms(params(1, 30), nil)
	pay(t, k, offer, 120).Settle(sender.Served, 60)
	roughly(t, k.Balances()[0].Value, 60)
	small := pay(t, k, offer, 10)
	large := pay(t, k, offer, 35) // 15 would stay, and the small job needs 20 besides its own
	more := pay(t, k, offer, 15)
	last := pay(t, k, offer, 20)
	jobs := []*sender.Payment{small, large, more, last}
	for i, want := range []int{0, 1, 0, 1} {
		if n := len(jobs[i].Tickets); n != want {
			t.Errorf("job %d: %d tickets, want %d", i, n, want)
		}
	}
	roughly(t, k.Balances()[0].Value, 30)
	last.Credited()
	last.Credited() // does nothing
	roughly(t, k.Balances()[0].Value, 40)
	for _, p := range jobs {
		p.Settle(sender.Failed, 0)
		p.Credited() // too late
	}
	roughly(t, k.Balances()[0].Value, 40)
	if c := k.Credits(); len(c) != 1 || c[0].Balance.Floor().Int64() != 40 {
		t.Errorf("%+v", c)
	}
	pay(t, k, offer, 40).Settle(sender.Short, 0)
	if k.balance(t) != "0" {
		t.Error("what the orchestrator does not have is counted on")
	}
}

// TestWaitingForCreditEnds: jobs wait for a payment on its way for a moment, and not again
// where that was in vain.
func TestWaitingForCreditEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := begin(t, t.TempDir(), nil)
		offer := terms(params(1, 30), func(t *sender.Terms) { t.Confirms = true })
		began := time.Now()
		for range 3 {
			if p := pay(t, k, offer, 10); len(p.Tickets) != 1 {
				t.Errorf("%d tickets", len(p.Tickets))
			}
		}
		if took := time.Since(began); took != 250*time.Millisecond {
			t.Errorf("waited for %v", took)
		}
		k.close()
	})
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		how  sender.Outcome
		left int64
		book paymentlog.State
	}{
		"served":  {sender.Served, 3 + 60 - 50, paymentlog.Answered},
		"refused": {sender.Refused, 3, paymentlog.Refused},
		"short":   {sender.Short, 0, paymentlog.Refused},
		"failed":  {sender.Failed, 3, paymentlog.Failed},
		"unsent":  {sender.Unsent, 3, paymentlog.Unsent},
		"left":    {sender.Abandoned, 3, paymentlog.Failed},
		"input":   {sender.InputBad, 3 + 60, paymentlog.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			k := begin(t, dir, nil)
			offer := terms(params(1, 30), nil)
			pay(t, k, offer, 27).Settle(sender.Served, 27)
			pay(t, k, offer, 50).Settle(row.how, 50)
			roughly(t, k.Balances()[0].Value, row.left)
			if k.Balances()[0].InHand != 0 {
				t.Error("still in hand")
			}
			k.close()
			k = begin(t, dir, nil)
			var last paymentlog.Payment
			if err := k.book.Each(t.Context(), func(p *paymentlog.Payment) error { last = *p; return nil }); err != nil {
				t.Fatal(err)
			}
			if last.State != row.book || last.Tickets() != 2 || last.First != 2 || last.Recipient != orchestrator {
				t.Errorf("%+v", last)
			}
		})
	}
}

func TestFreeWorkNeedsNothing(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	p := pay(t, k, terms(nil, func(t *sender.Terms) { t.Price = pm.Price{PerUnit: 0, PixelsPerUnit: 1} }), 1e9)
	if len(p.Tickets) != 0 || p.Params != nil || p.Sender != gateway {
		t.Errorf("%+v", p)
	}
	p.Settle(sender.Served, 1e9)
	if k.balance(t) != "0" {
		t.Error(k.balance(t))
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(*kit, *sender.Terms)
		want   fault.Code
	}{
		"no params":     {func(_ *kit, t *sender.Terms) { t.Params = nil }, fault.TicketParamsUnusable},
		"no expiration": {func(_ *kit, t *sender.Terms) { t.Params.ExpirationBlock = 0 }, fault.TicketParamsUnusable},
		"far params":    {func(_ *kit, t *sender.Terms) { t.Params.ExpirationBlock = 11_001 }, fault.TicketParamsUnusable},
		"expired":       {func(_ *kit, t *sender.Terms) { t.Params.ExpirationBlock = 1001 }, fault.TicketParamsStale},
		"certain to win": {func(_ *kit, t *sender.Terms) { t.Params.FaceValue = wei("1"); t.Params.WinProb = ones() },
			fault.TicketFaceValueLow},
		"expensive tickets": {func(_ *kit, t *sender.Terms) { *t.Params = *params(1, 3_000_000_000_001) },
			fault.TicketEVHigh},
		"a large payment": {func(_ *kit, t *sender.Terms) {
			*t.Params = *params(1,
				2_900_000_000_000)
			t.Price.PerUnit = 3e12
		}, fault.TicketTotalEVHigh},
		"unlocking": {func(k *kit, _ *sender.Terms) { k.chain.funds.WithdrawRound = 8 }, fault.OwnFundsUnlocking},
		"no reserve": {func(k *kit, _ *sender.Terms) { k.chain.funds.Reserve = protocol.Reserve{} },
			fault.OwnReserveEmpty},
		"no deposit":    {func(k *kit, _ *sender.Terms) { k.chain.funds.Deposit = wei("0") }, fault.OwnDepositEmpty},
		"small deposit": {func(k *kit, _ *sender.Terms) { k.chain.funds.Deposit = wei("10") }, fault.TicketFaceValueHigh},
		"funds unread": {func(k *kit, _ *sender.Terms) { k.chain.err = fault.New(fault.TxFundsMissing, "x", "") },
			fault.TxFundsMissing},
		"many tickets": {func(_ *kit, t *sender.Terms) { t.Price.PerUnit = 30 * 601 / 100; t.Nonces = 1 << 20 }, ""},
		"too many": {func(_ *kit, t *sender.Terms) { t.Price.PerUnit = 3 * 601; t.Nonces = 1 << 20 },
			fault.TicketsTooMany},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := begin(t, t.TempDir(), nil)
			offer := terms(params(1, 30), func(t *sender.Terms) { row.change(k, t) })
			_, err := k.Pay(t.Context(), offer, 10)
			if row.want == "" && err != nil || row.want != "" && !errors.Is(err, row.want) {
				t.Fatalf("%v, want %s", err, row.want)
			}
			if row.want != "" && len(k.Balances()) != 0 {
				t.Error("what was not paid is remembered")
			}
			own := row.want == fault.OwnFundsUnlocking || row.want == fault.OwnReserveEmpty ||
				row.want == fault.OwnDepositEmpty || row.want == fault.TicketFaceValueHigh
			if own == k.board.Healthy() {
				t.Errorf("healthy: %v", k.board.Healthy())
			}
		})
	}
}

func ones() (w protocol.Word) {
	for i := range w {
		w[i] = 0xff
	}
	return w
}

func TestIdleBalancesAreNotCountedOn(t *testing.T) {
	t.Parallel()
	for _, sweep := range []bool{false, true} {
		k := begin(t, t.TempDir(), nil)
		offer := terms(params(1, 30), nil)
		pay(t, k, offer, 10).Settle(sender.Served, 0)
		k.clock.Forward(9*time.Minute + 29*time.Second)
		if p := pay(t, k, offer, 10); len(p.Tickets) != 0 {
			t.Fatal("the balance is forgotten early")
		} else {
			p.Settle(sender.Served, 0)
		}
		k.clock.Forward(9*time.Minute + 30*time.Second)
		if sweep {
			if k.Sweep(); len(k.Balances()) != 0 {
				t.Error("the balance is kept")
			}
		}
		if p := pay(t, k, offer, 10); len(p.Tickets) != 1 {
			t.Error("an idle balance was counted on")
		} else {
			p.Settle(sender.Served, 1000) // a debt
		}
		k.clock.Forward(20 * time.Minute)
		k.Sweep()
		if p := pay(t, k, offer, 10); len(p.Tickets) != 34 {
			t.Errorf("a debt was forgotten: %d tickets", len(p.Tickets))
		}
	}
}

func TestTheRoundIsOursWhereThereIsNone(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	set := params(1, 30)
	set.Expiration = pm.Expiration{}
	p := pay(t, k, terms(set, nil), 10)
	if p.Expiration.Round != 7 || p.Expiration.BlockHash[0] != 0xaa || p.Params.Expiration != p.Expiration {
		t.Errorf("%+v", p.Expiration)
	}
}

func TestAFullDiskPaysNothing(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), nil)
	k.close()
	if _, err := k.Pay(t.Context(), terms(params(1, 30), nil), 10); err == nil {
		t.Error("paid without a book")
	}
	if len(k.Balances()) != 0 {
		t.Error("what was not paid is remembered")
	}
}

func TestAKeyThatDoesNotSign(t *testing.T) {
	t.Parallel()
	k := begin(t, t.TempDir(), func(o *sender.Options) {
		o.Sign = func(signature.Message) ([]byte, error) { return nil, errors.New("locked") }
	})
	if _, err := k.Pay(t.Context(), terms(params(1, 30), nil), 1000); !errors.Is(err, fault.PaymentUnsigned) {
		t.Error(err)
	}
}
