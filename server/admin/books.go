package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/protocol"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/pm/earnings"
)

// Books are the sources of earnings and spending. Requests for a nil part get a fault; none of
// them may block payments.
type Books struct {
	// Tickets, Payers and Income belong to an orchestrator on the chain.
	Tickets Tickets
	// RetryRedemption retries a failed ticket; nil if another process redeems. The error is a
	// fault, such as TicketUnknown or TicketNotFailed.
	RetryRedemption func(ctx context.Context, hash protocol.Hash) error
	// Payers lists the gateways with accounts.
	Payers func(ctx context.Context) []adminapi.Payer
	Income Income
	// Spending reports what a gateway on the chain paid. The error is a fault.
	Spending func(ctx context.Context) (*earnings.Spending, error)
	Credits  Credits
}

// TicketFilter filters winning tickets. A zero field does not filter.
type TicketFilter struct {
	State   pm.TicketState
	Gateway core.Address
	Hash    protocol.Hash
	// Limit bounds the list, 0 is no bound. Before keeps those won earlier.
	Limit  int
	Before time.Time
}

// Tickets are the winning tickets of the ledger. Errors are faults.
type Tickets interface {
	// Winners are the newest first.
	Winners(ctx context.Context, f TicketFilter) ([]pm.Winner, error)
	// Counts are how many there are in each state.
	Counts(ctx context.Context) (map[pm.TicketState]int, error)
	// History is a ticket's states in their order.
	History(ctx context.Context, hash protocol.Hash) ([]pm.Progress, error)
}

// Income reports what was earned. Errors are faults.
type Income interface {
	Income(ctx context.Context, by earnings.By) (*earnings.Income, error)
	Workers(ctx context.Context) (*earnings.Workers, error)
	Overview(ctx context.Context) (*earnings.Overview, error)
}

// Credits are payments to orchestrators that were not used for work.
type Credits interface {
	Credits() []adminapi.Credit
	// Forgive writes off an orchestrator's credit. The error is the fault CreditUnknown.
	Forgive(orchestrator string) error
}

// wantsCSV reports whether the query asks for CSV.
func wantsCSV(r *http.Request) bool { return flag(r, adminapi.QueryFormat, adminapi.FormatCSV) }
