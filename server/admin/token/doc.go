// Package token is the secret with which an operator's programs prove that they
// may change the node: 256 random bits in a file that only the node's user reads.
//
// It knows files, comparison and how often one sender may be wrong, and no HTTP.
// server/admin opens the token at start and asks it about requests; programs of
// the operator read the file themselves.
//
// The audit log records changes: which client asked the node through its admin API for what, when,
// and the outcome, one JSON line each. Callers hand in parameters that may be written down; no
// secret is in it.
package token
