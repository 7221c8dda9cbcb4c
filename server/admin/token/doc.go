// Package token is the secret with which an operator's programs prove that they
// may change the node: 256 random bits in a file that only the node's user reads.
//
// It knows files, comparison and how often one sender may be wrong, and no HTTP.
// server/admin opens the token at start and asks it about requests; programs of
// the operator read the file themselves.
package token
