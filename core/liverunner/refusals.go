package liverunner

import "net/http"

// Refusals, in the network's words.
var (
	errNoRunner         = &Refusal{http.StatusNotFound, "runner not found"}
	errNoSession        = &Refusal{http.StatusNotFound, "runner session not found"}
	errNotPersistent    = &Refusal{http.StatusBadRequest, "only persistent runners have sessions"}
	errNotSingleShot    = &Refusal{http.StatusBadRequest, "runner is not single-shot"}
	errNoCapacity       = &Refusal{http.StatusServiceUnavailable, "no capacity available for runner"}
	errNotEnabled       = &Refusal{http.StatusNotFound, "dynamic live runner registration is disabled"}
	errRegistration     = &Refusal{http.StatusUnauthorized, "invalid registration authorization"}
	errHeartbeat        = &Refusal{http.StatusUnauthorized, "invalid heartbeat authorization"}
	errAuthorization    = &Refusal{http.StatusUnauthorized, "invalid authorization"}
	errStaticBeat       = &Refusal{http.StatusBadRequest, "static runner cannot heartbeat"}
	errStaticUnregister = &Refusal{http.StatusBadRequest, "static runner cannot unregister with heartbeat credentials"}
	errTooMany          = &Refusal{http.StatusServiceUnavailable, "too many runners are registered"}
	errRouteTaken       = &Refusal{http.StatusBadRequest, "a runner's id equals the label of another one"}
)
