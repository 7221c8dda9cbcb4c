package endpoint

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// kind is how an endpoint failed to answer.
type kind int

const (
	refused       kind = iota // no listener, or no route
	nameUnknown               // the host name has no address
	tlsFailed                 // no trusted connection
	timedOut                  // no answer in time
	connLost                  // the connection ended before the answer did
	denied                    // HTTP 401, 403: the key
	throttled                 // HTTP 429, -32005: too many requests
	badStatus                 // another HTTP status
	garbage                   // not the JSON-RPC that was asked for
	oversized                 // an answer beyond the bound
	layerOne                  // chain ID 1
	wrongChain                // another chain ID
	contradictory             // contradicts the other endpoints about a block
	falseAnswer               // gave an answer that the others refute
	behind                    // lacks the block
	unsupported               // lacks the method
	noBatches                 // takes no batches
	logsRefused               // refuses log requests even for one block
	logsPaused                // gets no log requests for a while
	canceled                  // the caller gave up
)

// codes maps each kind to its fault. Read-only.
var codes = map[kind]fault.Code{
	refused: fault.RPCUnreachable, nameUnknown: fault.RPCUnreachable, tlsFailed: fault.RPCUnreachable,
	timedOut: fault.RPCTimeout, connLost: fault.RPCUnreachable, denied: fault.RPCKeyRefused,
	throttled: fault.RPCRateLimited,
	badStatus: fault.RPCGarbage, garbage: fault.RPCGarbage, oversized: fault.RPCGarbage,
	layerOne: fault.RPCLayerOne, wrongChain: fault.RPCWrongChain, contradictory: fault.RPCWrongChain,
	behind:      fault.RPCBlockUnknown,
	falseAnswer: fault.RPCContradicted,
	unsupported: fault.RPCMethodMissing, noBatches: fault.RPCMethodMissing, logsRefused: fault.RPCLogsRefused,
	logsPaused: fault.RPCTimeout,
	canceled:   fault.Canceled,
}

// failure is why one endpoint gave no answer. Its text is safe to show: it contains nothing of the URL and no
// error of the net packages.
type failure struct {
	kind kind
	// name is the endpoint's display name.
	name   string
	detail string
	// status is the HTTP status, 0 without one.
	status int
	// wait is the provider's Retry-After, 0 without one.
	wait time.Duration
	// early: it happened while asking for the chain ID, before the request itself was sent.
	early bool
}

// Error says which endpoint failed and how.
func (f *failure) Error() string { return f.name + ": " + f.detail }

// Is matches the code of the failure's kind, and the end of a context.
func (f *failure) Is(target error) bool {
	switch target {
	case context.DeadlineExceeded:
		return f.kind == timedOut
	case context.Canceled:
		return f.kind == canceled
	}
	code, ok := target.(fault.Code)
	return ok && code == codes[f.kind]
}

// countsAgainstHealth reports whether the failure counts against the endpoint's health. A missing feature or
// an abandoned request does not.
func (f *failure) countsAgainstHealth() bool {
	switch f.kind {
	case behind, unsupported, noBatches, logsRefused, logsPaused, canceled, throttled:
		return false
	}
	return true
}

// permanent reports whether trying again soon is useless.
func (f *failure) permanent() bool {
	return f.kind == denied || f.kind == layerOne || f.kind == wrongChain || f.kind == contradictory
}

// invalidatesChainID reports whether another server may answer next, so that the chain ID has to be checked
// again.
func (f *failure) invalidatesChainID() bool {
	switch f.kind {
	case refused, nameUnknown, tlsFailed, timedOut, connLost, denied, wrongChain, layerOne, contradictory:
		return true
	}
	return false
}

// undelivered reports whether the request certainly had no effect.
func (f *failure) undelivered() bool {
	if f.early {
		return true
	}
	switch f.kind {
	case refused, nameUnknown, tlsFailed, denied, throttled, layerOne, wrongChain, unsupported:
		return true
	}
	return false
}

func fail(k kind, name, format string, args ...any) *failure {
	return &failure{kind: k, name: name, detail: fmt.Sprintf(format, args...)}
}
