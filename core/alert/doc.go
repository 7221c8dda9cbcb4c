// Package alert decides when the node's conditions become alerts: how long a condition must
// last before it fires, that a flapping one does not fire each time, when a lasting one is
// repeated, and when it is resolved. It also implements each sink's queue: its limit, its
// rate and its backoff after failures.
//
// It sends nothing and has no clock: server/alert sends, and cmd/tutti passes the health
// board's conditions. core/fault defines their severity.
package alert
