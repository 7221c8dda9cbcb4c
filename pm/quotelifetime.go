package pm

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/protocol"
)

const (
	// QuoteLife is how long a quoted price holds: the life of the auth token that carries it.
	QuoteLife = 30 * time.Minute
	// ParamsLife is for how many layer-1 blocks ticket parameters are accepted, 8 minutes.
	ParamsLife = 40
)

// CheckParams says whether parameters can be paid with at a layer-1 height. Errors
// are the faults TicketParamsUnusable and, where new ones must be asked for,
// TicketParamsStale.
func CheckParams(p *Params, l1 protocol.L1Block) error {
	switch {
	case p.ExpirationBlock == 0:
		return fault.New(fault.TicketParamsUnusable, opPay, "ticket params without an expiration block")
	case p.ExpirationBlock <= l1 || p.ExpirationBlock-l1 <= 1:
		return fault.New(fault.TicketParamsStale, opPay, "")
	}
	return nil
}
