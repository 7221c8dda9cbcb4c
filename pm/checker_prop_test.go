package pm_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/pm"
)

// TestCreditedOnce pays with tickets that are good, badly signed, repeated, out of
// range or late, in any number of payments, and compares with a plain model of the
// rules.
func TestCreditedOnce(t *testing.T) {
	t.Parallel()
	base := newDeal(t)
	const most = 12
	pool := make(map[uint32]pm.Signed)
	for _, n := range []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, most, pm.MaxNonce, pm.MaxNonce + 1} {
		pool[n] = base.pay(t, n).Tickets[0]
	}
	bad := pool[1].Sig
	rapid.Check(t, func(t *rapid.T) {
		d := *base
		d.nonces = pm.Nonces{}
		credited := map[uint32]bool{}
		for range rapid.IntRange(1, 4).Draw(t, "payments") {
			late := rapid.IntRange(0, 5).Draw(t, "late") == 0
			d.checker.L1 = 100
			if late {
				d.checker.L1 = 200
			}
			p := &pm.Payment{Params: &d.params, Sender: d.sender, Expiration: d.params.Expiration, Expected: &d.price}
			for range rapid.IntRange(0, 6).Draw(t, "tickets") {
				n := rapid.SampledFrom([]uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, most, pm.MaxNonce, pm.MaxNonce + 1}).Draw(t,
					"nonce")
				ticket := pool[n]
				if n != 1 && rapid.IntRange(0, 7).Draw(t, "forged") == 0 {
					ticket.Sig = bad
				}
				p.Tickets = append(p.Tickets, ticket)
			}
			v := d.check(p)
			compare(t, &d, p, v, credited, late)
		}
		if d.nonces.Count() != len(credited) {
			t.Fatalf("%d nonces, %d credited", d.nonces.Count(), len(credited))
		}
	})
}

// compare judges a payment by the rules as they are written down.
func compare(t *rapid.T, d *paymentTerms, p *pm.Payment, v pm.Verdict, credited map[uint32]bool, late bool) {
	t.Helper()
	var accepted []uint32
	var winners []int
	var last fault.Code
	for i, ticket := range p.Tickets {
		signed, wins := p.Read(i, d.rand)
		var code fault.Code
		switch {
		case !signed:
			code = fault.TicketSignatureInvalid
		case credited[ticket.Nonce]:
			code = fault.TicketNonceSeen
		case ticket.Nonce > pm.MaxNonce:
			code = fault.TicketNonceTooMany
		case late:
			code = fault.TicketParamsStale
		}
		if signed && wins {
			winners = append(winners, i)
		}
		if code != "" {
			last = code
		} else if last == "" {
			credited[ticket.Nonce] = true
			accepted = append(accepted, ticket.Nonce)
		}
	}
	if !slices.Equal(v.Accepted, accepted) || !slices.Equal(v.Winners, winners) {
		t.Fatalf("%+v, want %v and winners %v", v, accepted, winners)
	}
	if last == "" && v.Refused != nil || last != "" && !errors.Is(v.Refused, last) {
		t.Fatalf("refused %v, want %q", v.Refused, last)
	}
}
