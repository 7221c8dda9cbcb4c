// Package scenarios proves that the contracts of the local test chain keep the
// protocol's rules: each rule that a node relies on is a named scenario, executed
// by an EVM in this process, with the full pool of a hundred orchestrators where
// the rule needs one.
//
// It holds tests only, and no chain: no blocks are mined and nothing is signed but
// tickets, so a scenario costs milliseconds. cmd/tutti_devnet is the chain.
package scenarios
