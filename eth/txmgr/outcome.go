package txmgr

import (
	"errors"
	"regexp"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// outcome is the meaning of an endpoint's answer to a signed transaction. JSON-RPC has no codes for it: the
// texts are those of go-ethereum's transaction pool (its packages core and core/txpool), of Arbitrum's
// sequencer, which passes most of them on, and of clients that write the same words with other punctuation.
// Only this file reads them.
type outcome int

const (
	// accepted: an endpoint has it, newly or from before.
	accepted outcome = iota
	// unknown: it may have been accepted; the answer was lost. It counts as sent, and is broadcast again.
	unknown
	// nonceUsed: a transaction with the nonce is in a block, ours or a foreign one.
	nonceUsed
	// nonceAhead: the endpoint lacks an earlier one.
	nonceAhead
	// outbid: the endpoint has another one with the nonce that pays more.
	outbid
	// underpriced: it pays less than the chain accepts now.
	underpriced
	// underfunded: the account cannot pay for it.
	underfunded
	// impossible: no endpoint can accept it, now or later.
	impossible
	// declined: every endpoint refuses it, for unknown reasons.
	declined
)

// outcomeTexts are the texts in lower case; the first match counts. Read-only.
var outcomeTexts = []struct {
	text *regexp.Regexp
	is   outcome
}{
	{words("already known"), accepted},
	{words("known transaction"), accepted},
	{words("already imported"), accepted},
	{words("nonce too low"), nonceUsed},
	{words("nonce is too low"), nonceUsed},
	{words("nonce too high"), nonceAhead},
	{words("nonce is too high"), nonceAhead},
	{words("replacement transaction underpriced"), outbid},
	{words("replacement fee too low"), outbid},
	{words("insufficient funds"), underfunded},
	{words("sender doesn't have enough funds"), underfunded},
	{words("less than block base fee"), underpriced},
	{words("transaction underpriced"), underpriced},
	{words("gas price below minimum"), underpriced},
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

// words matches a text as whole words: an "unknown transaction type" is no "known transaction".
func words(text string) *regexp.Regexp {
	return regexp.MustCompile(`\b` + regexp.QuoteMeta(text) + `\b`)
}

// outcomeOf reads an error of Backend.SendTransaction. A known text decides; otherwise the code of the
// endpoint client does. An error without either is a lost answer.
func outcomeOf(err error) outcome {
	if err == nil {
		return accepted
	}
	text := strings.ToLower(err.Error())
	for _, m := range outcomeTexts {
		if m.text.MatchString(text) {
			return m.is
		}
	}
	switch {
	case errors.Is(err, fault.TxNonceUsed):
		return nonceUsed
	case errors.Is(err, fault.TxFundsMissing):
		return underfunded
	case errors.Is(err, fault.TxFeeTooLow):
		return underpriced
	case errors.Is(err, fault.TxGasTooLow):
		return impossible
	case errors.Is(err, fault.TxRefused):
		return declined
	}
	return unknown
}

// saysReverted reports whether a contract caused the error of an estimate. A contract
// also causes the error that no amount of gas is enough.
func saysReverted(err error) bool {
	text := strings.ToLower(err.Error())
	for _, words := range []string{"execution reverted", "always failing transaction", "gas required exceeds",
		"invalid opcode", "out of gas"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}
