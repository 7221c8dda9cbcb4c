//go:build cgo

package recipient_test

import (
	"slices"
	"testing"

	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/recipient"
)

// A job whose answer begins after another process has taken over is billed there, once, from the account that paid for
// it.
func TestBillsAfterAHandover(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	s := r.session(r.gateway(1), "33_m", llama)
	first, second := r.admit(s.by("a", "1", 4)), r.admit(s.by("a", "1", 4))
	old := r.led
	if err := old.HandOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.restart()
	left := func() pm.Value {
		all := r.Snapshot(t.Context()).Accounts
		i := slices.IndexFunc(all, func(a recipient.AccountState) bool {
			return a.Account == pm.Account{Sender: s.g.addr, Key: "33_m"}
		})
		if i < 0 {
			t.Fatal("the account is gone")
		}
		return all[i].Balance
	}
	whole := left()
	work := pm.Work{Units: 1, Produced: -1, Worker: "w"}
	first.Done(work)
	first.Produced(3)
	old.LateDebits(func(all []pm.Debit) {
		for _, d := range all {
			r.BillLate(d)
		}
	})
	second.Done(work)
	second.Done(work)
	if spent := whole.Sub(left()); !spent.Equal(s.job(0, 1).Quote.Price.Of(2)) {
		t.Errorf("two jobs cost %s", spent)
	}
	r.agree()
}
