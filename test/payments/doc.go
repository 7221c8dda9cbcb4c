// Package payments lets gateways pay orchestrators on a real local chain with the
// real programs, while nodes are restarted and killed, endpoints misbehave and
// blocks are undone, and afterwards holds the gateways' accounts of what they paid
// against the orchestrators' ledgers, to the wei, and the tickets against the chain.
//
// It is no part of the node and holds nothing but tests. `go test` runs a short
// time; `make soak` runs as long as it is given and prints figures.
package payments
