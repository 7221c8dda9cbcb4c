package livepay

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/byoc"
)

// TestUnpaidTimeIsOwed: a payer whose sessions each go on for an interval beyond what it paid owes that time, and begins
// no further session before its payments cover it.
func TestUnpaidTimeIsOwed(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	payer := n.payer(1)
	var used, paid int64 // seconds
	for range 12 {
		c, s := n.challenge("POST", "/apps/hour/session", payer)
		held := int64(0)
		for began := false; !began; {
			held += 5
			a := n.send("POST", "/apps/hour/session", "", n.paid(s, 5))
			if began = a.status == http.StatusOK; !began {
				n.expect("a debtor", a, http.StatusBadRequest, "Insufficient balance\n")
			}
		}
		for range held / 5 {
			n.later(5 * time.Second)
			n.live.Charge()
		}
		n.later(4900 * time.Millisecond)
		n.expect("stop", n.send("POST", "/apps/hour/session/"+string(c.Manifest)+"/stop", "", nil), http.StatusNoContent, "")
		used, paid = used+held+4, paid+held
	}
	if unpaid := used - paid; unpaid*6 > paid {
		t.Errorf("%d seconds were used, %d paid", used, paid)
	}
	other := n.payer(3)
	n.reserve("hour", other, 5)
}

// TestDebtsOfSessionsAreBounded: a charger that stalls makes no payer owe more than an interval.
func TestDebtsOfSessionsAreBounded(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	payer := n.payer(1)
	c, s := n.reserve("hour", payer, 10)
	n.later(time.Hour)
	n.live.Charge()
	if n.used("hour") != 0 {
		t.Error("a session that is not paid goes on")
	}
	credited, units, left := n.books.of(pm.Account{Sender: payer.Account, Key: pm.LiveKey(c.Manifest)})
	most := int64(10 + 1 + 5)
	if price := s.Price(); units > most || units <= 10 || left.Cmp(credited.Sub(price.Of(units))) != 0 {
		t.Errorf("%d seconds were charged of %s, left %s", units, credited, left)
	}
}

// TestParallelCapabilityWorkIsOwed: the same minute lets a gateway begin work many times at once; all of it is billed,
// and what the account did not hold is owed.
func TestParallelCapabilityWorkIsOwed(t *testing.T) {
	t.Parallel()
	const jobs, seconds = 40, 4
	r := newCapabilityRig(t)
	if a := r.Register(byoc.Secret, "cap", r.worker.URL, jobs, secondPrice); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	const path = "/process/request/run"
	r.is("paid", r.run(r.Client, path, capabilityJob(), r.Paid("cap", 61)), http.StatusOK, "")
	var begun, all sync.WaitGroup
	begun.Add(jobs)
	late := sync.OnceFunc(func() { r.later(seconds * time.Second) })
	r.worker.Working = func(*http.Request) {
		begun.Done()
		begun.Wait()
		late()
	}
	for range jobs {
		all.Go(func() { r.is("in parallel", r.run(r.Client, path, capabilityJob(), ""), http.StatusOK, "") })
	}
	all.Wait()
	credited, units, left := r.account(r.Client)
	if want := int64(1 + jobs*seconds); units != want || left.Cmp(credited.Sub(secondsWorth(units))) != 0 {
		t.Errorf("%d seconds were charged, want %d; %s of %s left", units, want, left, credited)
	}
	r.is("a debtor", r.run(r.Client, path, capabilityJob(), r.Paid("cap", 61)), http.StatusBadRequest, insufficient)
	r.worker.Working = nil
	r.is("paid", r.run(r.Client, path, capabilityJob(), r.Paid("cap", 99)), http.StatusOK, "")
}

// secondsWorth is what so many seconds of the capability cost.
func secondsWorth(n int64) pm.Value {
	return pm.WeiValue(core.NewWei(secondPrice)).Times(n)
}
