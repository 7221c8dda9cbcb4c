package ledger

import (
	"context"

	"github.com/tuttinode/tutti/pm"
)

// In an upgrade work goes on in the old process after its ledger was closed. What it costs is booked by the new one.

// lateDebits are those of work that ended after the ledger. The ledger's mu guards it.
type lateDebits struct {
	// leaving: another process gets the ledger.
	leaving bool
	// send tells the other process; before it is there, debits wait.
	send    func([]pm.Debit)
	waiting []pm.Debit
}

// HandOver has debits that come after the end of Run wait for LateDebits: another process gets the ledger. It makes the
// ledger a lifecycle.SocketOwner.
func (l *Ledger) HandOver(context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late.leaving = true
	return nil
}

// LateDebits sends the debits that come after the end of Run. send must not call the ledger.
func (l *Ledger) LateDebits(send func([]pm.Debit)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late.send = send
	if len(l.late.waiting) > 0 {
		send(l.late.waiting)
	}
	l.late.waiting = nil
}

// bookLate passes debits on that were refused because the ledger has ended. It is false if no process takes them.
func (l *Ledger) bookLate(e *pm.Entries) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case !l.late.leaving, l.ended == nil, len(e.Credits)+len(e.Closings)+len(e.Winners) > 0:
		return false
	case l.late.send != nil:
		l.late.send(e.Debits)
		return true
	}
	if len(l.late.waiting) >= maxAsync {
		return false
	}
	l.late.waiting = append(l.late.waiting, e.Debits...)
	return true
}
