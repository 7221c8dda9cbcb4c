package endpoint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// RPCError is a JSON-RPC error that is an answer: a revert, a refused transaction, bad parameters. Its
// message contains no part of a URL.
type RPCError struct {
	Code    int
	Message string
	// Data is revert data as a hexadecimal string, or nil.
	Data any
}

// Error returns the message with its number.
func (e *RPCError) Error() string { return fmt.Sprintf("%s (JSON-RPC error %d)", e.Message, e.Code) }

// ErrorCode and ErrorData make it go-ethereum's rpc.Error and rpc.DataError.
func (e *RPCError) ErrorCode() int { return e.Code }

// ErrorData returns the revert data as it came.
func (e *RPCError) ErrorData() any { return e.Data }

// wireError is the error member as it comes.
type wireError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"`
}

// Substrings, in lower case, of the errors in which providers report limits and gaps. There is no standard:
// the codes alone do not decide. Read-only.
var (
	throttleWords = []string{"rate limit", "ratelimit", "rate-limit", "too many requests", "request limit", "requests per",
		"request rate", "compute units", "throttl", "quota", "daily request", "out of credits", "capacity exceeded"}
	behindWords = []string{"header not found", "unknown block", "block not found", "could not find block",
		"missing trie node",
		"state not available", "state is not available", "no state available", "requested a block that",
		"block is not available",
		"after last accepted block", "beyond current head", "block range extends beyond current head"}
	brokenWords = []string{"timeout", "timed out", "deadline exceeded", "connection refused", "connection reset",
		"bad gateway",
		"service unavailable", "upstream", "no backend", "temporarily unavailable", "try again", "shutting down"}
	answerWords = []string{"nonce", "insufficient funds", "out of gas", "gas required", "invalid opcode",
		"already known", "underpriced"}
	denyWords = []string{"unauthorized", "invalid api key", "api key", "project id", "must be authenticated",
		"access denied", "forbidden"}
)

func hasAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// classifyError tells an answer from a failure: exactly one of the two results is set.
func classifyError(e wireError, name string, hide redactor) (*RPCError, *failure) {
	text := strings.ToLower(e.Message)
	shown := hide.clean(e.Message)
	switch {
	case e.Code == 3, e.Code == -32015, strings.Contains(text, "revert"):
	case e.Code == 429, e.Code == -32029, e.Code == -32005 && !hasAny(text, rangeWords), hasAny(text, throttleWords):
		return nil, fail(throttled, name, "too many requests: %s", shown)
	case hasAny(text, behindWords):
		return nil, fail(behind, name, "lacks the block: %s", shown)
	case hasAny(text, answerWords):
	case e.Code == -32601:
		return nil, fail(unsupported, name, "lacks the method: %s", shown)
	case e.Code == -32604, e.Code == -32001 && hasAny(text, denyWords), e.Code == 401, e.Code == 403,
		hasAny(text, denyWords) && e.Code != -32602:
		return nil, fail(denied, name, "refuses the key: %s", shown)
	case e.Code == -32700, e.Code == -32600, e.Code == -32603, e.Code <= 0 && hasAny(text, brokenWords):
		return nil, fail(garbage, name, "JSON-RPC error %d: %s", e.Code, shown)
	}
	return &RPCError{Code: e.Code, Message: shown, Data: revertData(e.Data)}, nil
}

// revertData keeps data only as the string of hexadecimal digits that contracts return; providers put other
// values there that have no meaning here.
func revertData(raw json.RawMessage) any {
	var s string
	if json.Unmarshal(raw, &s) != nil || !strings.HasPrefix(s, "0x") || strings.Trim(s[2:],
		"0123456789abcdefABCDEF") != "" {
		return nil
	}
	return s
}
