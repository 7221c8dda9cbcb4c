package adminapi

import (
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// More paths of tickets and income. PathIncomeWorkers answers in CSV where
// QueryFormat asks for it.
const (
	PathTicket         = Prefix + "/tickets/{hash}"
	PathIncomeWorkers  = Prefix + "/income/workers"
	PathIncomeOverview = Prefix + "/income/overview"
)

// The values of QueryFormat.
const (
	FormatJSON = "json"
	FormatCSV  = "csv"
)

// MaxTickets bounds QueryLimit, which is DefaultTickets where it is left out.
const (
	MaxTickets     = 1000
	DefaultTickets = 100
)

// TicketPath returns the path of one ticket.
func TicketPath(ticket protocol.Hash) string {
	return strings.Replace(PathTicket, "{hash}", ticket.String(), 1)
}

// TicketStep is one state of a ticket's life.
type TicketStep struct {
	State string    `json:"state"`
	Time  time.Time `json:"time"`
	// Tx is null where the state has none.
	Tx     *protocol.TxHash `json:"tx"`
	Paid   core.Wei         `json:"paid"`
	GasFee core.Wei         `json:"gasFee"`
	Reason string           `json:"reason"`
}

// TicketLife is a winning ticket with all states that it had, the oldest first.
type TicketLife struct {
	Ticket Ticket       `json:"ticket"`
	Steps  []TicketStep `json:"steps"`
}

// WorkerShare is what one worker did of one kind of paid work. Amounts are decimal
// numbers of wei that may have places.
type WorkerShare struct {
	Worker   string `json:"worker"`
	Pipeline string `json:"pipeline"`
	Model    string `json:"model"`
	Jobs     int64  `json:"jobs"`
	Units    int64  `json:"units"`
	Produced int64  `json:"produced"`
	Billed   string `json:"billed"`
	// Share is its part of all that was billed, 0 to 1. Received is that part of the
	// tickets' expected value, Income of what redeemed tickets paid less the gas,
	// which may be negative.
	Share    float64 `json:"share"`
	Received string  `json:"received"`
	Income   string  `json:"income"`
}

// WorkerShares is each worker's share of the paid work.
type WorkerShares struct {
	Workers []WorkerShare `json:"workers"`
	Total   WorkerShare   `json:"total"`
}
