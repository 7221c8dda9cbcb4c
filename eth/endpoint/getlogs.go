package endpoint

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/tuttinode/tutti/core/protocol"
)

// rangeWords tell a refused range from a rate limit where the number is the same.
// Read-only.
var rangeWords = []string{"query returned more than", "more than 10000", "block range", "blocks range", "range too",
	"too many results",
	"result set", "response size", "exceeds the range", "max results", "log response", "limited to", "too large",
	"too wide", "too many blocks"}

// tooMuch is a refusal of a log request because of its size.
type tooMuch struct{ text string }

func (e *tooMuch) Error() string { return e.text }

func isTooMuch(err error) bool {
	_, ok := err.(*tooMuch)
	return ok
}

// isTooSlow reports whether a smaller request might have been answered.
func isTooSlow(err error) bool {
	f, ok := err.(*failure)
	return ok && f.kind == badStatus && f.status >= 500
}

// getLogs sends one eth_getLogs. Providers have no common error for "too much": any refusal that is not about
// the key, the rate or the block counts as one.
func (r *remote) getLogs(ctx context.Context, part blockRange, filter LogFilter) ([]types.Log, error) {
	if f := r.logsPausedFailure(); f != nil {
		return nil, f
	}
	if f := r.verify(ctx); f != nil {
		return nil, f
	}
	answers, took, f := r.send(ctx, r.logTimeout(ctx), request{"eth_getLogs", []any{filter.params(part)}})
	switch {
	case isLogTimeout(f):
		r.recordLogTimeout()
		return nil, f
	case f != nil && (f.kind == oversized || f.kind == badStatus && refusesSize(f.status)):
		r.recordResult(nil, took)
		return nil, &tooMuch{f.detail}
	case f == nil && answers[0].err != nil:
		return nil, r.logsRefusal(*answers[0].err)
	}
	var logs []types.Log
	if f == nil {
		logs, f = parseLogs(answers[0].result, part.from, part.to, filter, r.addr.name)
	}
	r.recordResult(f, took)
	if f != nil {
		return nil, f
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logBreaker.success()
	return logs, nil
}

func refusesSize(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnprocessableEntity
}

func (r *remote) logsRefusal(e wireError) error {
	_, f := classifyError(e, r.addr.name, r.addr.redactor)
	if f != nil && !hasAny(strings.ToLower(e.Message), rangeWords) {
		switch f.kind {
		case throttled, denied, behind, unsupported:
			r.recordResult(f, 0)
			return f
		}
	}
	r.recordResult(nil, 0)
	return &tooMuch{r.addr.redactor.clean(e.Message)}
}

func (f LogFilter) params(part blockRange) map[string]any {
	m := map[string]any{"fromBlock": blockTag(part.from), "toBlock": blockTag(part.to)}
	if len(f.Addresses) > 0 {
		m["address"] = f.Addresses
	}
	if len(f.Topics) > 0 {
		topics := make([]any, len(f.Topics))
		for i, accepted := range f.Topics {
			if len(accepted) > 0 {
				topics[i] = accepted
			}
		}
		m["topics"] = topics
	}
	return m
}

// parseLogs reads the answer to eth_getLogs and checks it against the request: a log of another block, of
// another contract or of a removed block shows that the endpoint answers something else. The logs come back
// in order.
func parseLogs(raw []byte, from, to protocol.L2Block, filter LogFilter, name string) ([]types.Log, *failure) {
	var logs []types.Log
	if isNull(raw) || json.Unmarshal(raw, &logs) != nil {
		return nil, fail(garbage, name, "logs that are none")
	}
	for _, l := range logs {
		if n := protocol.L2Block(l.BlockNumber); n < from || n > to || l.Removed || !filter.matches(l) {
			return nil, fail(garbage, name, "logs that were not asked for")
		}
	}
	slices.SortStableFunc(logs, func(a, b types.Log) int {
		return cmp.Or(cmp.Compare(a.BlockNumber, b.BlockNumber), cmp.Compare(a.Index, b.Index))
	})
	return logs, nil
}

func (f LogFilter) matches(l types.Log) bool {
	if len(f.Addresses) > 0 && !slices.Contains(f.Addresses, l.Address) {
		return false
	}
	for i, accepted := range f.Topics {
		if len(accepted) > 0 && (i >= len(l.Topics) || !slices.Contains(accepted, l.Topics[i])) {
			return false
		}
	}
	return true
}
