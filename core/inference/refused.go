package inference

import "strconv"

// RefusedError says with which status a model server, or the orchestrator before it, refused a
// request that its client has to correct. It is the cause of a fault.
type RefusedError struct{ Status int }

// Error names the status.
func (e *RefusedError) Error() string { return "refused with status " + strconv.Itoa(e.Status) }
