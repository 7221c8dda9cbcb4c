package contracts

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/ethereum/go-ethereum/accounts/abi"

	"github.com/tuttinode/tutti/core/fault"
)

// Reason is why a contract refused.
type Reason struct {
	Code fault.Code
	// Text is the contract's own words, printable and at most 300 characters; empty
	// when it gave none.
	Text string
}

// maxReason bounds what is quoted of a contract, in characters.
const maxReason = 300

// DecodeRevert reads what a contract returns when it reverts: Error(string),
// Panic(uint256), or an error of the governor's or the voting contract's own.
func DecodeRevert(data []byte) Reason {
	if len(data) < 4 {
		return Reason{Code: fault.ContractReverted}
	}
	if text, err := abi.UnpackRevert(data); err == nil {
		if isPanic(data) {
			return Reason{Code: fault.ContractPanicked, Text: printable(text)}
		}
		return Reason{Code: classify(text), Text: printable(text)}
	}
	if e, err := governorABI.UnpackError(data); err == nil {
		return Reason{Code: fault.VoteRefused, Text: named(e)}
	}
	if e, err := votesABI.UnpackError(data); err == nil {
		return Reason{Code: fault.ContractReverted, Text: named(e)}
	}
	return Reason{Code: fault.ContractReverted, Text: fmt.Sprintf("unknown error 0x%x", data[:4])}
}

// isPanic looks for the selector of Panic(uint256).
func isPanic(data []byte) bool { return string(data[:4]) == "\x4e\x48\x7b\x71" }

// named prints an error of the bindings: LivepeerGovernorVoteAlreadyCast {}.
func named(e any) string {
	name := fmt.Sprintf("%T", e)
	return printable(name[strings.LastIndexByte(name, '.')+1:] + " " + strings.TrimPrefix(fmt.Sprintf("%v", e), "&"))
}

// printable keeps the characters that fit one line of a log.
func printable(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxReason {
			break
		}
		if !unicode.IsPrint(r) {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// fault makes the error an operator sees.
func (r Reason) fault(op string) *fault.Fault {
	detail := "the contract gives no reason"
	if r.Text != "" {
		detail = fmt.Sprintf("the contract says %q", r.Text)
	}
	return fault.New(r.Code, op, detail)
}
