// Package reward calls reward once in every round in which the orchestrator is
// active: the only way its stake grows, and lost for good in a round that ends
// without the call.
//
// It holds the rule alone. It reads the chain and acts on it through the ports of
// core/protocol, keeps nothing on disk, and decides each time from what the chain
// says, so that a restart in mid-round goes on where the round stands. cmd/tutti
// starts it; the admin API shows its Status.
//
// An Initializer initializes a new round if no other account did: one transaction that any account
// may send and that all rewards and redemptions of the round wait for. It is off unless
// -initializeRound enables it.
package reward
