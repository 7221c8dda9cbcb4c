// Package protocol is the chain in domain words: rounds, stake, the active set,
// rewards and funds as a node sees them, the actions that it takes, and the ports
// through which both are reached.
//
// It knows no endpoint, no key and no encoding; package eth implements its ports.
// The rules that need no chain, such as when a reward is due, live in packages
// beside it; cmd/tutti, the admin API and the rules are its callers.
package protocol
