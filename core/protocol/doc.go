// Package protocol is the chain in domain words: rounds, stake, the active set,
// rewards and funds as a node sees them, the actions that it takes, the ports
// through which both are reached, and the rules for when an action is due.
//
// It knows no endpoint, no key and no encoding; package eth implements its ports.
// What it decides it reads from the chain each time and keeps nothing on disk, so that
// a restart goes on where the chain stands. cmd/tutti and the admin API are its callers.
//
// A RewardCaller calls reward once in every round in which the orchestrator is active: the
// only way its stake grows, and lost for good in a round that ends without the call. A round
// initializer initializes a new round if no other account did: one transaction that any
// account may send and that all rewards and redemptions of the round wait for. It is off
// unless -initializeRound enables it.
//
// An ActivationPlanner plans how to become an orchestrator, and how to change its entry on the
// chain: which transactions are left, in which order, at what cost, and what blocks them. It
// prompts for nothing and prints nothing.
package protocol
