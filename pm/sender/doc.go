// Package sender is a gateway's side of paying: it makes tickets, each number once,
// keeps a mirror of the balances that orchestrators keep for this gateway, so that
// it sends as many tickets as a job needs and none more, and has every payment
// written down before it can leave.
//
// It sends nothing itself and chooses no orchestrators: server/gateway/upstream
// translates between it and messages, and package spent keeps the book. What an
// orchestrator does with the tickets is pm/recipient.
package sender
