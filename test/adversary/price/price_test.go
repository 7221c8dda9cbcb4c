package price

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/test/adversary"
)

const stopped = "PaidWorkMissing"

// rounds is how many jobs a test has.
func rounds(short int) int {
	if adversary.Long() {
		return 20 * short
	}
	return short
}

// allowed is the most that an orchestrator may have been paid by now: what it worked for,
// a sixteenth more, the bound, and what each stream may leave unused.
func allowed(worked float64, streams int) float64 {
	const perStream = 33
	return worked*17/16 + bound + float64(streams)*perStream
}

// cheated holds what the cheat was paid against its work, and wants it named.
func (w *world) cheated(streams int) {
	w.Helper()
	paid, worked, served := w.cheat.books()
	w.Logf("the cheat was paid %.0f gwei for work worth %.3f gwei (%d jobs)", paid, worked, served)
	if paid > allowed(worked, streams) {
		w.Errorf("paid %.0f gwei for work worth %.3f, at most %.0f may be", paid, worked, allowed(worked, streams))
	}
	if paid < bound/2 {
		w.Errorf("paid %.0f gwei: the cheat was not tried", paid)
	}
	names := w.conditions(stopped)
	if names[w.cheat.account.String()] == "" || len(names) != 1 {
		w.Errorf("conditions %s: %v", stopped, names)
	}
	if _, _, good := w.honest.books(); good == 0 {
		w.Error("the honest orchestrator had no work")
	}
}

// TestNewSessions has an orchestrator hand out tokens that end with each answer and ask for
// tickets worth far more than a segment. It works, too.
func TestNewSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() { w.cheat.ev, w.cheat.token = core.NewWei(largeEV), time.Minute })
	n := rounds(30)
	for i := range n {
		if err := w.push("film", i); err != nil {
			t.Errorf("segment %d: %v", i, err)
		}
	}
	w.cheated(1)
	// A gateway that is killed has it all on disk.
	w.kill()
	for i := range n / 2 {
		if err := w.push("film", n+i); err != nil {
			t.Errorf("segment %d after the restart: %v", n+i, err)
		}
	}
	w.cheated(2)
	w.forgiven()
}

// forgiven looks at the stopped orchestrator with the operator's tool, and has it paid
// again.
func (w *world) forgiven() {
	w.Helper()
	name := w.cheat.account.String()
	if text, status := w.cli("spending", "credits"); status != 0 || !strings.Contains(text, name) ||
		!strings.Contains(text, "stopped") {
		w.Errorf("credits: %d\n%s", status, text)
	}
	before, _, _ := w.cheat.books()
	if text, status := w.cli("spending", "forgive", name); status != 0 || len(w.conditions(stopped)) != 0 {
		w.Fatalf("forgive: %d\n%s", status, text)
	}
	w.gateway.Wait("the forgiven orchestrator to be paid", 90*time.Second, func() bool {
		_ = w.push(fmt.Sprint("again", time.Now().UnixNano()), 0)
		paid, _, _ := w.cheat.books()
		return paid > before
	})
}

// TestPricesThatChange has the price change in each answer: as much as the gateway
// pays at most, a million times that, nothing.
func TestPricesThatChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() {
		w.cheat.ev, w.cheat.token = core.NewWei(largeEV), time.Minute
		w.cheat.prices = []int64{1000, 2000, 1500, 2_000_000_000, 1900, 0, 2000}
	})
	for i := range rounds(40) {
		if err := w.push("film", i); err != nil {
			t.Errorf("segment %d: %v", i, err)
		}
	}
	paid, worked, served := w.cheat.books()
	t.Logf("the cheat was paid %.0f gwei for work worth %.3f gwei (%d jobs)", paid, worked, served)
	// What it asks for at the last price is no work at that price.
	if served == 0 {
		t.Error("the cheat was not tried")
	}
	if most := allowed(float64(served)*256*144*15*2000/1e9, 1); paid > most {
		t.Errorf("paid %.0f gwei, at most %.0f may be", paid, most)
	}
}

// TestHonestWithManyStreams: orchestrators of the existing network, with its tickets, keep
// all of many streams that begin at once, many that are over after a segment, jobs alongside
// them, and a gateway that is killed in between.
func TestHonestWithManyStreams(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wg sync.WaitGroup
	life := func(n int) {
		for stream := range 24 {
			wg.Go(func() {
				for i := range rounds(4) {
					if err := w.push(fmt.Sprintf("long%d", stream), n+i); err != nil {
						t.Errorf("stream %d, segment %d: %v", stream, n+i, err)
					}
				}
			})
		}
		for clip := range rounds(24) {
			if err := w.push(fmt.Sprintf("clip%d.%d", n, clip), 0); err != nil {
				t.Errorf("clip %d: %v", clip, err)
			}
			if err := w.ask(n + clip); err != nil {
				t.Errorf("job %d: %v", clip, err)
			}
		}
		wg.Wait()
	}
	life(0)
	w.kill()
	life(1000)
	for _, o := range []*orchestrator{w.cheat, w.honest} {
		paid, worked, served := o.books()
		t.Logf("%s was paid %.0f gwei for work worth %.3f gwei (%d jobs)", o.account, paid, worked, served)
	}
	if got := w.conditions(stopped); len(got) != 0 {
		t.Errorf("stopped: %v", got)
	}
}

// TestErrorsAfterPayment has it take what comes with the first segment of each stream, and
// say that it is full, for which honest orchestrators are not left either.
func TestErrorsAfterPayment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() {
		w.cheat.ev = core.NewWei(largeEV)
		w.cheat.cheat = func(_ int, rw http.ResponseWriter) bool {
			http.Error(rw, "OrchestratorCapped", http.StatusForbidden)
			return true
		}
	})
	for i := range rounds(30) {
		if err := w.push(fmt.Sprintf("clip%d", i), 0); err != nil {
			t.Errorf("stream %d: %v", i, err)
		}
	}
	w.cheated(0)
}

// TestParallelPayments has it take the payments of many streams that begin at once, before
// it answers any, and then break all connections.
func TestParallelPayments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	release := make(chan struct{})
	w.cheat.with(func() {
		w.cheat.ev = core.NewWei(largeEV)
		w.cheat.cheat = func(int, http.ResponseWriter) bool {
			<-release
			panic(http.ErrAbortHandler)
		}
	})
	let := sync.OnceFunc(func() { close(release) })
	t.Cleanup(let)
	var wg sync.WaitGroup
	for i := range rounds(30) {
		wg.Go(func() {
			if err := w.push(fmt.Sprintf("clip%d", i), 0); err != nil {
				t.Errorf("stream %d: %v", i, err)
			}
		})
	}
	w.gateway.Wait("the streams that wait in vain to go elsewhere", 30*time.Second, func() bool {
		_, _, good := w.honest.books()
		return good > 0
	})
	let()
	wg.Wait()
	w.cheated(0)
}

// TestErrorsAfterPaymentOfJobs is the same for jobs of a model. Every second one is done,
// so that no failures come in a row; the others' connections break, as happens in a bad
// network. What was left on the balance it denies then, as the gateway would use that up
// first. The money goes to another account each time.
func TestErrorsAfterPaymentOfJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deniesBalances("")
	w.ready()
	for i := range rounds(60) {
		if err := w.ask(i); err != nil {
			t.Errorf("job %d: %v", i, err)
		}
	}
	w.cheated(0)
}

// TestFalseConfirmations is the same of one that passes for a tutti node and
// confirms all tickets at once.
func TestFalseConfirmations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.deniesBalances("tutti/9")
	w.ready()
	for i := range rounds(60) {
		if err := w.ask(i); err != nil {
			t.Errorf("job %d: %v", i, err)
		}
	}
	w.cheated(0)
}

// deniesBalances has the cheat break every second job off and forget what was paid. As a node
// of our own kind it says before that the tickets are credited.
func (w *world) deniesBalances(node string) {
	w.cheat.with(func() {
		w.cheat.ev = core.NewWei(largeEV)
		w.cheat.recipient = func(n int) core.Address { return core.Address{0x77, byte(n >> 8), byte(n)} }
		w.cheat.info = func(_ string, info *rpc.OrchestratorInfo) { info.Node = node }
		w.cheat.cheat = func(n int, to http.ResponseWriter) bool {
			if node != "" {
				to.Header().Set("Tutti-Credited", "1")
				to.WriteHeader(http.StatusEarlyHints)
			}
			if n%2 == 0 {
				w.cheat.with(func() { clear(w.cheat.balances) })
				panic(http.ErrAbortHandler)
			}
			return false
		}
	})
}
