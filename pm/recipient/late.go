package recipient

import "github.com/tuttinode/tutti/pm"

// BillLate bills work that ended in the previous process. Its account may have paid for other work meanwhile:
// what it lacks is owed. An account that is closed by now was closed with all that was in it.
func (r *Recipient) BillLate(d pm.Debit) {
	d.Round, d.At = r.opt.Chain.View().Round.Number, r.opt.Now()
	if d.Units <= 0 || d.Price.Free() {
		r.opt.Ledger.Book(pm.Entries{Debits: []pm.Debit{d}})
		return
	}
	a, err := r.accounts.pin(d.Account, false)
	if a == nil || err != nil {
		return
	}
	defer r.accounts.unpin(a, r.opt.Now())
	a.mu.Lock()
	defer a.mu.Unlock()
	a.billLocked(&d, nil, r.opt.Ledger.Book)
}
