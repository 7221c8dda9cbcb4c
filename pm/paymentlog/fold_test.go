package paymentlog_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/pm/paymentlog"
	"github.com/tuttinode/tutti/test/coretest"
)

// Payments without an end do not keep those after them from being summed up.
func TestOpenPaymentsHoldUpNoSums(t *testing.T) {
	t.Parallel()
	b := open(t, t.TempDir(), func(o *paymentlog.Options) { o.Keep = 200 })
	for n := range uint32(150) {
		b.pay(t, payment(1, n+1, n+1)) // on their way, more than are summed up at once
	}
	var open []paymentlog.ID
	for n := range uint32(150) {
		open = append(open, b.pay(t, payment(2, n+1, n+1)))
	}
	for _, id := range open {
		b.Settle(id, answered(1))
	}
	b.pay(t, payment(3, 1, 1))
	b.pay(t, payment(3, 2, 2))
	all := b.all(t)
	states := make(map[paymentlog.State]int)
	for i := range all {
		states[all[i].State]++
	}
	if len(all) > 202 || states[paymentlog.Sent] != 152 {
		t.Errorf("%d are kept one by one: %v", len(all), states)
	}
}

// A payment whose end nobody told is summed up as open after a day.
func TestWhatIsNeverSettledIsSummedUp(t *testing.T) {
	t.Parallel()
	clock := coretest.NewClock(at)
	b := open(t, t.TempDir(), func(o *paymentlog.Options) { o.Keep, o.Now = 1, clock.Now })
	for n := range uint32(20) {
		b.pay(t, payment(1, n+1, n+1))
	}
	if n := len(b.all(t)); n != 20 {
		t.Errorf("%d of 20 that are on their way are kept", n)
	}
	clock.Forward(25 * time.Hour)
	late := payment(1, 21, 21)
	late.At = clock.Now()
	b.pay(t, late)
	b.pay(t, late21(late))
	if n := len(b.all(t)); n != 2 {
		t.Errorf("%d are kept one by one", n)
	}
	totals, err := b.Totals(t.Context(), paymentlog.Query{})
	if err != nil || len(totals) != 1 || totals[0].Payments != 22 || totals[0].Open.Cmp(totals[0].Value) != 0 {
		t.Errorf("%+v %v", totals, err)
	}
}

func late21(p *paymentlog.Payment) *paymentlog.Payment {
	next := *p
	next.First, next.Last = p.First+1, p.Last+1
	return &next
}
