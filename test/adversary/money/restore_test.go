package money

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
)

// spent is a payment that was credited after a copy of the ledger was made, the copy,
// and how many tickets the books had by then.
type spent struct {
	*payer
	info    *rpc.OrchestratorInfo
	payment *rpc.Payment
	copy    string
}

// spendAfterCopy stops the node in order, copies its data directory, starts it again
// and pays it.
func spendAfterCopy(t *testing.T) *spent {
	t.Helper()
	w := newWorld(t)
	s := &spent{payer: w.newPayer(5), copy: filepath.Join(t.TempDir(), "copy")}
	s.served(4) // for one ticket
	w.stop()
	copyDir(t, w.dir, s.copy)
	w.start()
	if status, text := s.ask(s.paid, s.pay(s.paid, 0), "Count.", 3); status != 200 {
		t.Fatalf("with what was left: %d %s", status, text)
	}
	s.info = s.offer(wants(capability.LLM))
	s.payment = s.pay(s.info, 20)
	if status, text := s.ask(s.info, s.payment, "Count.", 3); status != 200 {
		t.Fatalf("the second payment: %d %s", status, text)
	}
	w.stop()
	return s
}

// again sends the payment once more.
func (s *spent) again() {
	s.Helper()
	before := s.credits()
	if status, text := s.ask(s.info, s.payment, "Count.", 3); status == 200 ||
		!strings.Contains(text, "TicketParams expired") && !strings.Contains(text, "invalid recipientRand") {
		s.Errorf("tickets that were credited before: %d %s", status, text)
	}
	if now := s.credits(); now != before {
		s.Errorf("%d tickets were credited again", now-before)
	}
	fresh := s.offer(wants(capability.LLM))
	s.nonce = 0
	if status, text := s.ask(fresh, s.pay(fresh, 2), "Count.", 3); status != 200 {
		s.Errorf("fresh tickets: %d %s", status, text)
	}
}

// TestRestoredLedgerCreditsNothingAgain: the operator puts back a copy of tutti.db
// that was made while the node was stopped in order. What it took since is refused.
func TestRestoredLedgerCreditsNothingAgain(t *testing.T) {
	t.Parallel()
	s := spendAfterCopy(t)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(s.database() + suffix)
		copyFile(t, filepath.Join(s.copy, "tutti.db"+suffix), s.database()+suffix)
	}
	s.start()
	if !s.has(fault.LedgerRestored) {
		t.Error("no condition says that the books are an older copy")
	}
	if status, text := s.ask(s.paid, s.pay(s.paid, 0), "Count.", 3); status == 200 ||
		!strings.Contains(text, "Insufficient balance") {
		t.Errorf("with a balance that was spent before: %d %s", status, text)
	}
	s.again()
}

// TestRestoredDirectoryCreditsNothingAgain: the same with everything that the node
// keeps, so that nothing in the directory can tell.
func TestRestoredDirectoryCreditsNothingAgain(t *testing.T) {
	t.Parallel()
	s := spendAfterCopy(t)
	s.must(os.RemoveAll(s.dir))
	copyDir(t, s.copy, s.dir)
	s.start()
	s.again()
}
