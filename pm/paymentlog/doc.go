// Package paymentlog is a gateway's own account of what it paid, in tutti.db: every
// payment with its tickets' set, nonces and value, on disk before an orchestrator
// can see it, and what became of it. It is what a gateway compares with an
// orchestrator's ledger, to the wei, also after it was killed.
//
// It decides nothing about payments and knows no balances; package pm/sender does
// and writes it. Reports read it. It is not the orchestrator's book, which is
// pm/ledger.
package paymentlog
