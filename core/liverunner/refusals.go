package liverunner

import "errors"

// Reason is why a request is refused.
type Reason int

// The reasons.
const (
	None Reason = iota
	Unknown
	Wrong
	Full
	Unauthorized
	// NoCapacity: the runner's slots are taken. Drains: new sessions are kept from it.
	NoCapacity
	Drains
	// Exists: there is a session of the same name.
	Exists
)

// Refusal is the answer to a request of a runner or client that is refused, in the network's words.
type Refusal struct {
	Reason Reason
	Text   string
}

func (r *Refusal) Error() string { return r.Text }

// ReasonOf is why an error refuses: None for nil, Wrong for one that is no refusal.
func ReasonOf(err error) Reason {
	if err == nil {
		return None
	}
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r.Reason
	}
	return Wrong
}

// Refusals, in the network's words where it has some.
var (
	errNoRunner         = &Refusal{Unknown, "runner not found"}
	errNoSession        = &Refusal{Unknown, "runner session not found"}
	errNotPersistent    = &Refusal{Wrong, "only persistent runners have sessions"}
	errNotSingleShot    = &Refusal{Wrong, "runner is not single-shot"}
	errExists           = &Refusal{Exists, "session already exists"}
	errNoCapacity       = &Refusal{NoCapacity, "no capacity available for runner"}
	errNodeDraining     = &Refusal{Drains, "Draining: the orchestrator takes no new sessions"}
	errRunnerDraining   = &Refusal{Drains, "Draining: the runner takes no new sessions"}
	errNotEnabled       = &Refusal{Unknown, "dynamic live runner registration is disabled"}
	errRegistration     = &Refusal{Unauthorized, "invalid registration authorization"}
	errHeartbeat        = &Refusal{Unauthorized, "invalid heartbeat authorization"}
	errAuthorization    = &Refusal{Unauthorized, "invalid authorization"}
	errStaticBeat       = &Refusal{Wrong, "static runner cannot heartbeat"}
	errStaticUnregister = &Refusal{Wrong, "static runner cannot unregister with heartbeat credentials"}
	errTooMany          = &Refusal{Full, "too many runners are registered"}
	errRouteTaken       = &Refusal{Wrong, "a runner's id equals the label of another one"}
)
