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

// TestUnpaidTimeIsShort: a session ends soon after its payments are used up, so that many short ones, each of which is
// left unpaid, are no way to half the price.
func TestUnpaidTimeIsShort(t *testing.T) {
	t.Parallel()
	n := newShop(t)
	payer := n.payer(1)
	const step = 250 * time.Millisecond
	for _, paid := range []time.Duration{5 * time.Second, 10 * time.Second, 70 * time.Second} {
		n.reserve("hour", payer, int64(paid/time.Second))
		served := time.Duration(0)
		for ; n.used("hour") > 0 && served < 2*paid; served += step {
			n.later(step)
			n.live.Charge()
		}
		if late := served - paid; late < time.Second || late > max(time.Second, paid/10)+step {
			t.Errorf("%v were paid, %v served", paid, served)
		}
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
