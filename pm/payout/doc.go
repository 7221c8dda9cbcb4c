// Package payout looks on the chain whether winning tickets that another process
// redeems were paid. A redeemer's word moves no ticket here: one is mined when the ticket
// broker has it as used and a receipt says what it paid, final when that has lasted, and
// expired when its last round is over and it is not used.
//
// It redeems nothing, that is package pm/redeemer's, and hands nothing over, that is
// package server/redeemer's. cmd/tutti runs a Watcher beside the client where
// -redeemerAddr is given.
//
// # What it asks of the chain
//
// Nothing for a ticket in the first half of the time in which it can be redeemed, unless
// an event says that it was. Otherwise one read for a hundred tickets, every 25 layer-1
// blocks (about five minutes), and the receipt of what was redeemed.
package payout
