// Package client is an orchestrator's side of a redeemer in another process: it hands winning
// tickets in until they are accepted, and keeps the max floats of gateways that the redeemer
// reports. It speaks net.TicketRedeemer as the network does, with unmodified redeemers too.
//
// It redeems nothing and keeps no accounts: a winner is in the ledger before it comes here, and
// is marked as handed only after the redeemer accepted it. So a stop or a crash at any moment
// loses nothing; at worst a ticket is handed in twice, which the redeemer detects. cmd/tutti
// runs it where -redeemerAddr is given.
package client
