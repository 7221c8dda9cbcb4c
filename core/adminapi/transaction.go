package adminapi

import (
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// Transaction is one action on its way to the chain, or where it ended.
type Transaction struct {
	ID    uint64           `json:"id"`
	Verb  string           `json:"verb"`
	About string           `json:"about"`
	State protocol.TxState `json:"state"`
	Hash  protocol.TxHash  `json:"hash"`
	Nonce uint64           `json:"nonce"`
	// Block, Gas and Fee are 0 until it is mined.
	Block protocol.L2Block `json:"block"`
	Gas   protocol.Gas     `json:"gas"`
	Fee   core.Wei         `json:"fee"`
	Sent  time.Time        `json:"sent"`
	// Updated is when State or Hash changed last.
	Updated time.Time `json:"updated"`
	// Replaced counts how often it was sent again with a higher fee.
	Replaced int `json:"replaced"`
	// Reason says why it failed, with its code; empty otherwise.
	Reason string `json:"reason"`
}

// Transactions are those on their way and the last ones that ended.
type Transactions struct {
	Transactions []Transaction `json:"transactions"`
}

// Estimate is what an action would cost. Need is what the account must hold: Fee
// and what the action pays itself.
type Estimate struct {
	Verb  string       `json:"verb"`
	About string       `json:"about"`
	Gas   protocol.Gas `json:"gas"`
	Price core.Wei     `json:"price"`
	Fee   core.Wei     `json:"fee"`
	Need  core.Wei     `json:"need"`
}

// ActionResult is the answer to an action: Estimate for a dry run, else
// Transaction. Before lists what had to be done first, such as letting the bonding
// contract take the tokens.
type ActionResult struct {
	Before      []Transaction `json:"before,omitempty"`
	Transaction *Transaction  `json:"transaction,omitempty"`
	Estimate    *Estimate     `json:"estimate,omitempty"`
	// Error says why it failed although Before or Transaction is there; the answer
	// has its status.
	Error *Error `json:"error,omitempty"`
}
