package nodedb

import (
	"errors"

	"github.com/tuttinode/tutti/core/fault"
)

// StoreFault names an error of the database. What reads the ledger cannot tell one that
// does not answer from one that is damaged.
func StoreFault(op string, err error) error {
	f, ok := errors.AsType[*fault.Fault](err)
	if ok && (f.Code != fault.LedgerFailed || !StoreLost(err)) {
		return f
	}
	if ok && f.Err != nil {
		err = f.Err
	}
	if StoreLost(err) {
		return fault.Wrap(fault.StoreUnreachable, op, err)
	}
	return fault.Wrap(fault.LedgerFailed, op, err)
}
