package control

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ethereum/go-ethereum/common/hexutil"
)

// Kind is how an endpoint misbehaves.
type Kind string

// The ways to misbehave. Those of a connection apply to whole HTTP requests, and
// on a websocket to single messages; where a status cannot be sent there, the
// connection is closed.
const (
	// None is good behavior; it takes all faults away.
	None Kind = "none"
	// Stop closes the listener and all connections.
	Stop Kind = "stop"
	// Hang takes requests and never answers.
	Hang Kind = "hang"
	// Slow answers after Duration.
	Slow Kind = "slow"
	// HTTP429 answers status 429.
	HTTP429 Kind = "http429"
	// HTTP500 answers status 500.
	HTTP500 Kind = "http500"
	// HTML502 answers status 502 with a page of HTML.
	HTML502 Kind = "html502"
	// HalfJSON answers half of the right answer's bytes.
	HalfJSON Kind = "halfJSON"
	// Reset executes the request and then resets the connection.
	Reset Kind = "reset"
	// LimitExceeded answers the JSON-RPC error -32005, "limit exceeded".
	LimitExceeded Kind = "limitExceeded"
	// WrongChain answers ChainID when asked for the chain.
	WrongChain Kind = "wrongChain"
	// Lag shows the chain as it was Blocks ago.
	Lag Kind = "lag"
	// LogRange refuses logs of more than Blocks blocks.
	LogRange Kind = "logRange"
	// EmptyLogs finds no logs.
	EmptyLogs Kind = "emptyLogs"
	// StaleReceipts knows no receipts.
	StaleReceipts Kind = "staleReceipts"
	// FalseAnswer answers contract calls of Selector with Data.
	FalseAnswer Kind = "falseAnswer"
	// FalseRevert answers calls and estimates of Selector with a revert that gives
	// Reason.
	FalseRevert Kind = "falseRevert"
	// FalseReceipts has a receipt for every transaction, without logs: of one that
	// succeeded, or of one that failed where Failed is set.
	FalseReceipts Kind = "falseReceipts"
	// FalseHeads shows newest blocks that are Blocks further than the chain, with
	// hashes of their own, a layer-1 number that is L1Blocks further, and a base fee
	// that is Factor times as high.
	FalseHeads Kind = "falseHeads"
	// FalseGas answers Factor times the gas that a call takes, and Factor gwei as the
	// tip that is usual.
	FalseGas Kind = "falseGas"
)

// FalseKinds returns the kinds that answer well-formed falsehoods.
func FalseKinds() []Kind {
	return []Kind{FalseAnswer, FalseRevert, FalseReceipts, FalseHeads, FalseGas}
}

// kinds are all ways to misbehave.
func kinds() []Kind {
	return []Kind{None, Stop, Hang, Slow, HTTP429, HTTP500, HTML502, HalfJSON, Reset, LimitExceeded, WrongChain, Lag,
		LogRange, EmptyLogs, StaleReceipts,
		FalseAnswer, FalseRevert, FalseReceipts, FalseHeads, FalseGas}
}

// Fault is one way in which an endpoint misbehaves.
type Fault struct {
	Kind Kind `json:"kind"`
	// Methods restricts it: exact names of methods, or the groups read, logs,
	// send and receipt. Empty is every method.
	Methods []string `json:"methods,omitempty"`
	// Times is how often it happens; 0 is until it is taken away.
	Times uint64 `json:"times,omitempty"`
	// Probability is how likely it happens each time; 0 is always.
	Probability float64 `json:"probability,omitempty"`
	// Seed makes the dice of Probability repeat themselves.
	Seed uint64 `json:"seed,omitempty"`
	// Blocks belongs to Lag, LogRange and FalseHeads.
	Blocks uint64 `json:"blocks,omitempty"`
	// Duration belongs to Slow.
	Duration Duration `json:"duration,omitempty"`
	// ChainID belongs to WrongChain.
	ChainID uint64 `json:"chainId,omitempty"`
	// Selector is the first four bytes of the calls that FalseAnswer and FalseRevert
	// concern, in hexadecimal; empty is all calls.
	Selector string `json:"selector,omitempty"`
	// Data belongs to FalseAnswer, Reason to FalseRevert, Failed to FalseReceipts.
	Data   hexutil.Bytes `json:"data,omitempty"`
	Reason string        `json:"reason,omitempty"`
	Failed bool          `json:"failed,omitempty"`
	// L1Blocks belongs to FalseHeads, Factor to FalseHeads and FalseGas.
	L1Blocks uint64 `json:"l1Blocks,omitempty"`
	Factor   uint64 `json:"factor,omitempty"`
}

// ErrInvalid is in the errors of Check.
var ErrInvalid = errors.New("invalid fault")

// Check says what is wrong with a fault.
func (f Fault) Check() error {
	switch lacks := f.lacks(); {
	case !slices.Contains(kinds(), f.Kind):
		return fmt.Errorf("%w: none is called %q; there are %v", ErrInvalid, f.Kind, kinds())
	case f.Probability < 0 || f.Probability > 1:
		return fmt.Errorf("%w: %s: probability %v is not between 0 and 1", ErrInvalid, f.Kind, f.Probability)
	case lacks != "":
		return fmt.Errorf("%w: %s needs %s", ErrInvalid, f.Kind, lacks)
	}
	return nil
}

// lacks names the field that the kind needs and that is not set, "" when there is none.
func (f Fault) lacks() string {
	switch {
	case f.Kind == Slow && f.Duration <= 0:
		return "a duration"
	case f.Kind == Lag && f.Blocks == 0, f.Kind == LogRange && f.Blocks == 0:
		return "blocks"
	case f.Kind == WrongChain && f.ChainID == 0:
		return "a chainId"
	case f.Kind == FalseAnswer && len(f.Data) == 0:
		return "data"
	case f.Kind == FalseRevert && f.Reason == "":
		return "a reason"
	case f.Kind == FalseGas && f.Factor == 0:
		return "a factor"
	}
	return ""
}

// Duration is written like "250ms" in JSON.
type Duration time.Duration

// MarshalText writes what time.Duration writes.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	*d = Duration(v)
	return err
}
