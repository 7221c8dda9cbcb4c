// Package sender is a gateway's side of paying. It makes tickets, each nonce once,
// mirrors the balances that orchestrators keep for this gateway, so that it sends exactly
// as many tickets as a job needs, and records every payment before it can be sent.
//
// It sends nothing itself and chooses no orchestrators: server/gateway/upstream
// translates between it and messages, and package paymentlog keeps the record. The
// orchestrator's side is pm/recipient.
package sender
