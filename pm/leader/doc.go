// Package leader makes one of several nodes redeem the winning tickets of all books in one
// database: the leader runs a redeemer, the others wait, and when the leader is gone another
// takes over. Every node knows the unpaid winning tickets of each sender, of all nodes, because
// they reduce what the sender can pay.
//
// It sends nothing itself: package pm/redeemer does. It keeps no accounts: package pm/ledger
// does. The database decides which node leads. cmd/tutti uses it instead of a redeemer.
package leader
