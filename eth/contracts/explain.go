package contracts

import (
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// revertCode is the JSON-RPC error code of a call that a contract refused.
const revertCode = 3

// Explain turns an endpoint's error into a fault with the contract's reason, when
// it is a refusal of a contract; any other error is only wrapped with op.
func Explain(op string, err error) error {
	reason, ok := reasonOf(err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return fmt.Errorf("%s: %w", op, err)
	}
	return reason.fault(op)
}

// Explain is Explain for the error of simulating, estimating or replaying the call
// c, which knows what the contract's words mean for it.
func (c Call) Explain(err error) error {
	reason, ok := reasonOf(err)
	switch {
	case err == nil:
		return nil
	case !ok:
		return fmt.Errorf("%s: %w", c.name, err)
	}
	reason.Code = c.codeFor(reason)
	return reason.fault(c.name)
}

// IsRevert reports whether a contract refused, as opposed to an endpoint that
// failed.
func IsRevert(err error) bool {
	_, ok := reasonOf(err)
	return ok
}

// reasonOf looks for a revert in an endpoint's error: in its data, as most servers
// send it, or in its text.
func reasonOf(err error) (Reason, bool) {
	if err == nil {
		return Reason{}, false
	}
	if data, ok := revertData(err); ok && len(data) >= 4 {
		return DecodeRevert(data), true
	}
	text := err.Error()
	var coded interface{ ErrorCode() int }
	isCode := errors.As(err, &coded) && coded.ErrorCode() == revertCode
	if !isCode && !strings.Contains(strings.ToLower(text), "revert") {
		return Reason{}, false
	}
	words := quotedReason(text)
	return Reason{Code: classify(words), Text: printable(words)}, true
}

// serverWords is what servers put around a contract's words, which are the group.
func serverWords() *regexp.Regexp {
	return regexp.MustCompile(`(?is)^.*?revert(?:ed)?(?: with reason string)?:?\s*'?(.*?)'?` +
		`(?:\s*\(JSON-RPC error -?\d+\))?$`)
}

// quotedReason cuts a server's own words off a contract's.
func quotedReason(text string) string {
	if found := serverWords().FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return text
}

// revertData finds the bytes that a contract returned. Most servers send them as
// hexadecimal digits; some put a word before them or an object around them.
func revertData(err error) ([]byte, bool) {
	var carrier interface{ ErrorData() any }
	if !errors.As(err, &carrier) {
		return nil, false
	}
	content := carrier.ErrorData()
	if object, ok := content.(map[string]any); ok {
		content = object["data"]
	}
	text, ok := content.(string)
	if !ok {
		return nil, false
	}
	at := strings.Index(text, "0x")
	if at < 0 {
		return nil, false
	}
	data, failed := hex.DecodeString(text[at+2:])
	return data, failed == nil
}
