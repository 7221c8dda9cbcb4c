// Package audit records changes: which client asked the node through its admin API
// for what, when, and the outcome, one JSON line each, in a file that only the
// node's user reads.
//
// It is no log of errors and holds no secret: callers hand in parameters that may
// be written down. server/admin writes it; nothing reads it back but people.
package audit
