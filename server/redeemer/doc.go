// Package redeemer is the service by which other processes have winning tickets redeemed: it takes
// tickets from orchestrators, keeps them for pm/redeemer, and reports what each gateway can pay.
//
// It redeems nothing itself, package pm/redeemer does, and checks tickets only as far as that
// protects it. The orchestrators' side is Client next to it. cmd/tutti runs it in a
// process of its own.
//
// The client (client_*.go) is an orchestrator's side of a redeemer in another process: it hands
// winning tickets in until they are accepted, and keeps the max floats of gateways that the
// redeemer reports. A winner is in the ledger before it comes here and is marked as handed only
// after the redeemer accepted it, so a crash at any moment loses nothing.
package redeemer
