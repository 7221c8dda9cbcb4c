package e2e

import (
	"math/big"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/byoc"
)

// A request of an external capability that outlives an upgrade is charged to its end: the old process says what it
// costs, the new one has the books. When the account holds nothing more, the request is cut.
func TestAnUpgradeChargesForCapabilities(t *testing.T) {
	t.Parallel()
	orchestrator, c, worker := paidCapability(t, "-livePaymentInterval", "1s")
	begun, released := make(chan struct{}, 2), make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	t.Cleanup(release)
	worker.Working = func(r *http.Request) {
		begun <- struct{}{}
		select {
		case <-released:
		case <-r.Context().Done():
		}
	}
	job := byoc.Job{ID: "j", Request: `{"run":"x"}`, Parameters: "{}", Capability: "demo", Timeout: 600}
	answered := make(chan byoc.Answer, 1)
	payment := c.Paid("demo", 70)
	unhurried := *c
	unhurried.HTTP = &http.Client{Transport: c.HTTP.Transport} // without a limit of time
	go func() {
		answered <- unhurried.Send("POST", "/process/request/hold", "{}", "Livepeer", c.Header(job), "Livepeer-Payment",
			payment)
	}()
	<-begun
	upgradeLive(t, orchestrator.Process)
	billed := func() *big.Int {
		total := fetched[adminapi.Income](t, orchestrator.admin, adminapi.PathIncome).Total
		n, ok := new(big.Int).SetString(total.Billed, 10)
		if !ok {
			t.Fatal(total.Billed)
		}
		return n
	}
	atUpgrade := billed()
	orchestrator.Wait("charges of the new process", time.Minute, func() bool { return billed().Cmp(atUpgrade) > 0 })
	// The new process knows the gateway by its address: it need not pay once more.
	if a := c.Register(byoc.Secret, "demo", worker.URL, 2, 1_000_000_000); a.Status != http.StatusOK {
		t.Fatal(a)
	}
	if token, a := c.Token("demo"); token.Balance <= 0 {
		t.Errorf("a balance of %d after the upgrade: %v", token.Balance, a)
	}
	// All 70 seconds that were paid, and an interval at most that is owed.
	var a byoc.Answer
	orchestrator.Wait("the request's end", 3*time.Minute, func() bool {
		select {
		case a = <-answered:
			return true
		default:
			return false
		}
	})
	if a.Status != http.StatusBadRequest || a.Body != "Insufficient balance for request\n" {
		t.Errorf("a request that is not paid any more: %d %s", a.Status, a.Body)
	}
	orchestrator.Wait("all that was paid", 20*time.Second, func() bool {
		return billed().Cmp(big.NewInt(70_000_000_000)) >= 0
	})
	if most := big.NewInt(75_000_000_000); billed().Cmp(most) > 0 {
		t.Errorf("%s wei are billed", billed())
	}
}
