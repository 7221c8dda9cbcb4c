// Package client is an orchestrator's side of a redeemer in another process: it
// hands winning tickets in until they are taken, and keeps what gateways' funds
// carry as the redeemer tells it. It speaks net.TicketRedeemer as the network does,
// with unmodified redeemers too.
//
// It redeems nothing and keeps no books: a winner is in the ledger before it comes
// here, and only when the redeemer took it is it marked as handed there. So a stop or
// a crash at any moment loses nothing; at worst a ticket is handed in twice, which
// the redeemer knows. cmd/tutti runs it where -redeemerAddr is given.
package client
