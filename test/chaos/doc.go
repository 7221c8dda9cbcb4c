// Package chaos runs the node's part on the chain against a local chain on which
// everything goes wrong: endpoints that misbehave in every known way, outages,
// reorgs, a second wallet with the same key, fees out of reach, lost
// transactions, and a node that is stopped or killed at any moment. What must hold
// is read from the chain and not from the node: every round is rewarded once, and
// nothing is paid for twice.
//
// It is no part of the node and holds nothing but tests. `go test` runs a bounded
// number of rounds; `make chaos` runs as many as it is given and prints figures.
package chaos
