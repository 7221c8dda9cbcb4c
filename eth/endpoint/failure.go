package endpoint

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// kind says how an endpoint failed to answer.
type kind int

const (
	refused     kind = iota // nobody listens, or there is no way there
	nameUnknown             // the host name has no address
	tlsFailed               // no trusted connection
	timedOut                // no answer in time
	lost                    // the connection ended before the answer did
	denied                  // HTTP 401, 403: the key
	throttled               // HTTP 429, -32005: too many requests
	badStatus               // another HTTP status
	garbage                 // not the JSON-RPC that was asked for
	oversized               // an answer beyond the bound
	layerOne                // chain ID 1
	wrongChain              // another chain ID
	astray                  // contradicts the others about a block
	untrue                  // gave an answer that the others show to be false
	behind                  // lacks the block
	unsupported             // lacks the method
	batchless               // takes no batches
	logsRefused             // refuses log requests even for one block
	logsResting             // its log requests are left alone for a while
	canceled                // we gave up on it
)

// codes gives each kind its fault. Read-only.
var codes = map[kind]fault.Code{
	refused: fault.RPCUnreachable, nameUnknown: fault.RPCUnreachable, tlsFailed: fault.RPCUnreachable,
	timedOut: fault.RPCTimeout, lost: fault.RPCUnreachable, denied: fault.RPCKeyRefused, throttled: fault.RPCRateLimited,
	badStatus: fault.RPCGarbage, garbage: fault.RPCGarbage, oversized: fault.RPCGarbage,
	layerOne: fault.RPCLayerOne, wrongChain: fault.RPCWrongChain, astray: fault.RPCWrongChain, behind: fault.RPCBlockUnknown,
	untrue:      fault.RPCContradicted,
	unsupported: fault.RPCMethodMissing, batchless: fault.RPCMethodMissing, logsRefused: fault.RPCLogsRefused,
	logsResting: fault.RPCTimeout,
	canceled:    fault.Canceled,
}

// failure is why one endpoint gave no answer. Its text is safe to show: it holds
// nothing of the URL and no error of the net packages.
type failure struct {
	kind kind
	// name is the endpoint's shown name.
	name   string
	detail string
	// status is the HTTP status, 0 without one.
	status int
	// wait is how long the provider wants to be left alone, 0 when it did not say.
	wait time.Duration
	// early: it came while asking for the chain ID, before the request itself went.
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

// counts reports whether the failure speaks against the endpoint's health. What
// it lacks or was not waited for does not.
func (f *failure) counts() bool {
	switch f.kind {
	case behind, unsupported, batchless, logsRefused, logsResting, canceled, throttled:
		return false
	}
	return true
}

// lasting reports whether trying again soon is useless.
func (f *failure) lasting() bool {
	return f.kind == denied || f.kind == layerOne || f.kind == wrongChain || f.kind == astray
}

// unverifies reports whether what answers next may be somebody else, so that the
// chain ID has to be asked for again.
func (f *failure) unverifies() bool {
	switch f.kind {
	case refused, nameUnknown, tlsFailed, timedOut, lost, denied, wrongChain, layerOne, astray:
		return true
	}
	return false
}

// undelivered reports whether the request surely had no effect.
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
