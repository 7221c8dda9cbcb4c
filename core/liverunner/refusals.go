package liverunner

// Reason is why a request is refused.
type Reason int

// The reasons.
const (
	Unknown Reason = iota
	Wrong
	Full
	Unauthorized
)

// Refusal is the answer to a request of a runner or client that is refused, in the network's words.
type Refusal struct {
	Reason Reason
	Text   string
}

func (r *Refusal) Error() string { return r.Text }

// Refusals, in the network's words.
var (
	errNoRunner         = &Refusal{Unknown, "runner not found"}
	errNoSession        = &Refusal{Unknown, "runner session not found"}
	errNotPersistent    = &Refusal{Wrong, "only persistent runners have sessions"}
	errNotSingleShot    = &Refusal{Wrong, "runner is not single-shot"}
	errNoCapacity       = &Refusal{Full, "no capacity available for runner"}
	errNotEnabled       = &Refusal{Unknown, "dynamic live runner registration is disabled"}
	errRegistration     = &Refusal{Unauthorized, "invalid registration authorization"}
	errHeartbeat        = &Refusal{Unauthorized, "invalid heartbeat authorization"}
	errAuthorization    = &Refusal{Unauthorized, "invalid authorization"}
	errStaticBeat       = &Refusal{Wrong, "static runner cannot heartbeat"}
	errStaticUnregister = &Refusal{Wrong, "static runner cannot unregister with heartbeat credentials"}
	errTooMany          = &Refusal{Full, "too many runners are registered"}
	errRouteTaken       = &Refusal{Wrong, "a runner's id equals the label of another one"}
)
