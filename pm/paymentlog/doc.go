// Package paymentlog is a gateway's own record of what it paid, in tutti.db: every
// payment with its tickets' set, nonces and value, on disk before an orchestrator can see
// it, and its result. A gateway compares it with an orchestrator's ledger, to the wei,
// also after a crash.
//
// It decides nothing about payments and knows no balances; package pm/sender does and
// writes it. Reports read it. The orchestrator's side is pm/ledger.
package paymentlog
