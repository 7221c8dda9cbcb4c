package money

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// closedShort puts an account of the payer that was closed that far below zero into the
// books of the stopped node.
func (p *payer) closedShort(wei int64, at time.Time) {
	p.Helper()
	p.change(`INSERT INTO ledger_account (sender, name, open, balance, carried, live, price, opened, used)
		VALUES (?, 'closed short', 0, '0', '0', 1, '', ?, ?)`, p.address[:], at.UnixNano(), at.UnixNano())
	p.change(`INSERT INTO ledger_entry (id, kind, account, round, at, amount)
		SELECT s.last + 1, 3, a.id, 0, ?, ? FROM ledger_state s, ledger_account a WHERE a.name = 'closed short'`,
		at.UnixNano(), -wei)
	p.change(`UPDATE ledger_state SET last = last + 1`)
}

// short asks for a segment of one second in a new session and pays one ticket.
func (p *payer) short(data []byte) (served bool, reason string) {
	p.Helper()
	info := p.video()
	pixels, reason, err := p.segment(info, p.pay(info, 1), 0, data, time.Second)
	p.must(err)
	return pixels > 0, reason
}

// TestOldPaymentsExcuseNoDebt: a gateway that paid much and owes a little is excused, until
// what it paid is more than a day old. The books are set back by a day for that.
func TestOldPaymentsExcuseNoDebt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	p.served(40)
	ticket := ticketWei(p.video())
	data := w.long(1)
	w.stop()
	over := time.Now().Add(8 * time.Second)
	p.change(`UPDATE ledger_entry SET at = ? WHERE kind = 1`, over.Add(-24*time.Hour).UnixNano())
	p.closedShort(ticket, time.Now().Add(-time.Minute))
	w.start()
	w.Wait("the payments to be a day old", 30*time.Second, func() bool { return time.Now().After(over) })
	if served, reason := p.short(data); served || !strings.Contains(reason, "Insufficient balance") {
		t.Errorf("one ticket is owed and nothing was paid today: served %v, %s", served, reason)
	}
}

// TestMoneyOfACopyPaysNoDebt: a gateway had money in an account when the copy was made that
// the operator puts back. Closing that account pays nothing of what the gateway owes then,
// neither at once nor after another restart.
func TestMoneyOfACopyPaysNoDebt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.newPayer(5)
	p.served(20)
	long, short := w.long(12), w.long(1)
	w.stop()
	earlier := filepath.Join(t.TempDir(), "copy")
	copyDir(t, w.dir, earlier)
	w.start()
	w.stop()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(w.database() + suffix)
		copyFile(t, filepath.Join(earlier, "tutti.db"+suffix), w.database()+suffix)
	}
	w.start()
	if !w.has(fault.LedgerRestored) {
		t.Error("no condition says that the books are an older copy")
	}
	if served, reason := p.short(long); !served {
		t.Fatalf("the segment that is owed for: %s", reason)
	}
	info := p.offer(wants(capability.LLM))
	if status, text := p.ask(info, p.pay(info, 4), "Count.", 3); status != 200 {
		t.Fatalf("a payment into the account, which closes the one of the copy: %d %s", status, text)
	}
	if served, reason := p.short(short); served || !strings.Contains(reason, "Insufficient balance") {
		t.Errorf("two tickets are owed: served %v, %s", served, reason)
	}
	w.stop()
	p.closeShort()
	w.start()
	if served, reason := p.short(short); served || !strings.Contains(reason, "Insufficient balance") {
		t.Errorf("two tickets are owed after a restart: served %v, %s", served, reason)
	}
}

// closeShort closes the payer's accounts below zero in the books of the stopped node, as
// the node does after ten minutes.
func (p *payer) closeShort() {
	p.Helper()
	const short = ` WHERE open = 1 AND balance LIKE '-%'`
	p.change(`INSERT INTO ledger_entry (id, kind, account, round, at, amount)
		SELECT (SELECT last FROM ledger_state) + row_number() OVER (ORDER BY id), 3, id, 0, used, balance
		FROM ledger_account` + short)
	p.change(`UPDATE ledger_account SET open = 0, balance = '0', live = live + 1` + short)
	p.change(`UPDATE ledger_state SET last = (SELECT max(id) FROM ledger_entry)`)
}
