package adminapi

import (
	"strings"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// The paths of tickets and income. PathTickets and PathIncome answer in CSV
// where QueryFormat asks for it.
const (
	PathTickets     = Prefix + "/tickets"
	PathTicketRetry = Prefix + "/tickets/{hash}/retry"
	PathPayers      = Prefix + "/gateways"
	PathIncome      = Prefix + "/income"
	PathSpending    = Prefix + "/spending"
	PathCredits     = Prefix + "/spending/credits"
	PathForgive     = Prefix + "/spending/credits/forgive"
)

// The parameters of their queries.
const (
	// QueryState and QueryGateway keep only tickets in a state, of a gateway.
	QueryState   = "state"
	QueryGateway = "gateway"
	// QueryLimit bounds a list, QueryBefore goes on below a time (RFC 3339).
	QueryLimit  = "limit"
	QueryBefore = "before"
	// QueryBy groups income: day, round, gateway, model, worker; several with commas.
	QueryBy = "by"
	// QueryFormat is json or csv.
	QueryFormat = "format"
)

// TicketRetryPath returns where a failed ticket is taken up again.
func TicketRetryPath(ticket protocol.Hash) string {
	return strings.Replace(PathTicketRetry, "{hash}", ticket.String(), 1)
}

// Ticket is a winning ticket and what became of it. Amounts are wei.
type Ticket struct {
	Hash    protocol.Hash `json:"hash"`
	Gateway core.Address  `json:"gateway"`
	// Account is what it paid for: a session's ID, or "33_<model>".
	Account   string   `json:"account"`
	FaceValue core.Wei `json:"faceValue"`
	// Chance is about one in so many tickets of its kind.
	Chance float64        `json:"chance"`
	Round  protocol.Round `json:"round"`
	// RedeemFrom is the layer-1 block from which on it may be redeemed, LastRound the
	// last round in which it can be.
	RedeemFrom protocol.L1Block `json:"redeemFrom"`
	LastRound  protocol.Round   `json:"lastRound"`
	State      string           `json:"state"`
	Won        time.Time        `json:"won"`
	// Since is when it came into its state.
	Since time.Time `json:"since"`
	// Tx is null before it was sent; Paid and GasFee are 0 before it is mined.
	Tx       *protocol.TxHash `json:"tx"`
	Paid     core.Wei         `json:"paid"`
	GasFee   core.Wei         `json:"gasFee"`
	Attempts int              `json:"attempts"`
	// Reason says why it waits, failed or expired, with its code; empty otherwise.
	Reason string `json:"reason"`
}

// Tickets are winning tickets, the newest first.
type Tickets struct {
	Tickets []Ticket `json:"tickets"`
	// Counts are how many there are in each state.
	Counts map[string]int `json:"counts"`
}

// Payer is a gateway that pays this orchestrator.
type Payer struct {
	Gateway core.Address `json:"gateway"`
	// Deposit and Reserve are its funds, MaxFloat what of them carries one ticket.
	Deposit  core.Wei `json:"deposit"`
	Reserve  core.Wei `json:"reserve"`
	MaxFloat core.Wei `json:"maxFloat"`
	// Waiting are the face values of its winning tickets that are not paid so far: those
	// that are won, queued or submitted.
	Waiting  core.Wei       `json:"waiting"`
	Accounts []PayerAccount `json:"accounts"`
}

// PayerAccount is one balance of a gateway: what was paid ahead of the work.
type PayerAccount struct {
	Key string `json:"key"`
	// Balance is in wei, a decimal number that may have places and a sign.
	Balance string `json:"balance"`
	// InHand is put aside for jobs that are being done.
	InHand string `json:"inHand"`
}

// Payers are the gateways with open accounts.
type Payers struct {
	Gateways []Payer `json:"gateways"`
}

// IncomeRow is what came of some part of the work. Amounts are wei; those that need
// not be whole are decimal numbers with places.
type IncomeRow struct {
	// What the row is about, as far as rows are grouped by it.
	Day      string          `json:"day,omitempty"`
	Round    *protocol.Round `json:"round,omitempty"`
	Gateway  *core.Address   `json:"gateway,omitempty"`
	Pipeline string          `json:"pipeline,omitempty"`
	Model    string          `json:"model,omitempty"`
	Worker   string          `json:"worker,omitempty"`

	// Tickets were accepted, worth Received together; Billed is the work done.
	Tickets  int64  `json:"tickets"`
	Received string `json:"received"`
	Jobs     int64  `json:"jobs"`
	Units    int64  `json:"units"`
	Produced int64  `json:"produced"`
	Billed   string `json:"billed"`
	// Won tickets have face values of WonValue. By the tickets' states, Waiting of it is
	// won, queued or submitted; Mined is paid in a block that may still be undone;
	// Redeemed is what final tickets paid; Short is what mined and final tickets paid
	// less than their face value, because the gateway's funds did not cover it; Handed
	// is with another process's redeemer and not seen as paid; Expired and Failed are
	// lost. These seven add up to WonValue. Gas is what redeeming cost.
	Won      int64    `json:"won"`
	WonValue core.Wei `json:"wonValue"`
	Redeemed core.Wei `json:"redeemed"`
	Short    core.Wei `json:"short"`
	Waiting  core.Wei `json:"waiting"`
	Mined    core.Wei `json:"mined"`
	Handed   core.Wei `json:"handed"`
	Expired  core.Wei `json:"expired"`
	Failed   core.Wei `json:"failed"`
	Gas      core.Wei `json:"gas"`
	// Kept was left in accounts that were closed, Given was missing from them.
	Kept  string `json:"kept"`
	Given string `json:"given"`
	// Reward are stake tokens of the rounds; null where rows are grouped by more than
	// round and day, as a reward is no gateway's, model's or worker's.
	Reward *core.LPT `json:"reward"`
	// Share is this row's part of all that was billed, 0 to 1.
	Share float64 `json:"share"`
}

// Income is what the orchestrator earned.
type Income struct {
	By    []string    `json:"by"`
	Rows  []IncomeRow `json:"rows"`
	Total IncomeRow   `json:"total"`
}

// IncomeOverview is income seen in several ways at one moment, so that all of it
// agrees: in all, on the present day of UTC, in the present round, and by sender and
// kind of work. Round is 0 while it is not known.
type IncomeOverview struct {
	Day       string         `json:"day"`
	Round     protocol.Round `json:"round"`
	Total     IncomeRow      `json:"total"`
	Today     IncomeRow      `json:"today"`
	ThisRound IncomeRow      `json:"thisRound"`
	Gateways  []IncomeRow    `json:"gateways"`
	Models    []IncomeRow    `json:"models"`
	Workers   []IncomeRow    `json:"workers"`
}

// SpendingRow is what a gateway paid one orchestrator for one kind of work.
type SpendingRow struct {
	Day       string       `json:"day,omitempty"`
	Recipient core.Address `json:"recipient"`
	Pipeline  string       `json:"pipeline"`
	Model     string       `json:"model"`
	Payments  int64        `json:"payments"`
	Tickets   int64        `json:"tickets"`
	// Value is the tickets' expected value in wei, Billed what the work came to. Open is
	// the part of Value for which no work was billed: refused, failed, unknown, or still
	// on its way.
	Value  string `json:"value"`
	Open   string `json:"open"`
	Billed string `json:"billed"`
	Units  int64  `json:"units"`
	// Cost is Billed and what was lost with jobs that failed. Charged is the part of it that was charged to clients'
	// requests, of each job in whole wei, rounded up: the sum of what API keys spent.
	Cost    string   `json:"cost"`
	Charged core.Wei `json:"charged"`
}

// WriteOff is what balances at orchestrators held that this gateway does not count on any more, in wei.
type WriteOff struct {
	Day string `json:"day"`
	// Reason is idle, short or stopped.
	Reason string `json:"reason"`
	Value  string `json:"value"`
}

// Spending is what this gateway paid.
type Spending struct {
	Rows []SpendingRow `json:"rows"`
	// Value, Open and Billed are the sums.
	Value  string `json:"value"`
	Open   string `json:"open"`
	Billed string `json:"billed"`
	// Cost and Charged are sums too. Value is Cost, Balance, WrittenOff and Unsettled together.
	Cost    string   `json:"cost"`
	Charged core.Wei `json:"charged"`
	// Balance is what is left in the accounts at orchestrators at this moment, in wei: further
	// jobs are paid from it. PathCredits has it for each orchestrator.
	Balance string `json:"balance,omitempty"`
	// WrittenOff is what balances held that are not counted on any more, WriteOffs the same by day and reason.
	WrittenOff string     `json:"writtenOff"`
	WriteOffs  []WriteOff `json:"writeOffs"`
	// Unsettled is what jobs in progress hold, and what was lost when the node was killed.
	Unsettled string `json:"unsettled"`
}
