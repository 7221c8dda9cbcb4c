package txmgr

import (
	"errors"
	"regexp"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// outcome is what an endpoint's answer to a signed transaction means. JSON-RPC has
// no numbers for it: the texts are those of go-ethereum's transaction pool (its
// packages core and core/txpool), of Arbitrum's sequencer, which passes most of
// them on, and of clients that write the same words with other punctuation. This
// file is the only one that looks at them.
type outcome int

const (
	// taken: an endpoint has it, and had it before or not.
	taken outcome = iota
	// unknown: it may have been taken; the answer was lost. It is treated as sent,
	// and handed out again.
	unknown
	// nonceUsed: a transaction with the nonce is in a block, ours or a foreign one.
	nonceUsed
	// nonceAhead: the endpoint lacks an earlier one.
	nonceAhead
	// outbid: the endpoint holds another one with the nonce that pays more.
	outbid
	// cheap: it pays less than the chain takes at this moment.
	cheap
	// poor: the account cannot pay for it.
	poor
	// impossible: no endpoint will ever take it.
	impossible
	// declined: every endpoint says no, for reasons nobody has told us of.
	declined
)

// meanings are the texts in lower case, the first that fits counts. Read-only.
var meanings = []struct {
	text *regexp.Regexp
	is   outcome
}{
	{words("already known"), taken},
	{words("known transaction"), taken},
	{words("already imported"), taken},
	{words("nonce too low"), nonceUsed},
	{words("nonce is too low"), nonceUsed},
	{words("nonce too high"), nonceAhead},
	{words("nonce is too high"), nonceAhead},
	{words("replacement transaction underpriced"), outbid},
	{words("replacement fee too low"), outbid},
	{words("insufficient funds"), poor},
	{words("sender doesn't have enough funds"), poor},
	{words("less than block base fee"), cheap},
	{words("transaction underpriced"), cheap},
	{words("gas price below minimum"), cheap},
	{words("intrinsic gas too low"), impossible},
	{words("insufficient gas for floor data"), impossible},
	{words("exceeds block gas limit"), impossible},
	{words("gas limit too high"), impossible},
	{words("oversized data"), impossible},
	{words("max initcode size exceeded"), impossible},
	{words("exceeds the configured cap"), impossible}, // an endpoint's bound on a transaction's fee
	{words("invalid chain id"), impossible},
	{words("invalid sender"), impossible},
	{words("sender not an eoa"), impossible},
}

// words matches a text where it stands as words: an "unknown transaction type" is
// no "known transaction".
func words(text string) *regexp.Regexp {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(text) + `\b`)
}

// outcomeOf reads an error of Backend.SendTransaction. The words of an endpoint
// say most; where there are none that are known, the code of the endpoint client
// does. An error without either is a lost answer.
func outcomeOf(err error) outcome {
	if err == nil {
		return taken
	}
	text := strings.ToLower(err.Error())
	for _, m := range meanings {
		if m.text.MatchString(text) {
			return m.is
		}
	}
	switch {
	case errors.Is(err, fault.TxNonceUsed):
		return nonceUsed
	case errors.Is(err, fault.TxFundsMissing):
		return poor
	case errors.Is(err, fault.TxFeeTooLow):
		return cheap
	case errors.Is(err, fault.TxGasTooLow):
		return impossible
	case errors.Is(err, fault.TxRefused):
		return declined
	}
	return unknown
}

// saysReverted reports whether the error of an estimate is a contract's, or that
// no amount of gas is enough, which a contract is behind too.
func saysReverted(err error) bool {
	text := strings.ToLower(err.Error())
	for _, words := range []string{"execution reverted", "always failing transaction", "gas required exceeds", "invalid opcode", "out of gas"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
