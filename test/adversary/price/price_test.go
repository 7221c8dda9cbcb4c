package price

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
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

// TestErrorsAfterPaymentOfJobs is the same for jobs of a model. Every second one is done,
// so that no failures come in a row; the others' connections break, as happens in a bad
// network. The money goes to another account each time.
func TestErrorsAfterPaymentOfJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.cheat.with(func() {
		w.cheat.ev = core.NewWei(largeEV)
		w.cheat.recipient = func(n int) core.Address { return core.Address{0x77, byte(n >> 8), byte(n)} }
		w.cheat.cheat = func(n int, _ http.ResponseWriter) bool {
			if n%2 == 0 {
				panic(http.ErrAbortHandler)
			}
			return false
		}
	})
	for i := range rounds(60) {
		if err := w.ask(i); err != nil {
			t.Errorf("job %d: %v", i, err)
		}
	}
	w.cheated(0)
}
