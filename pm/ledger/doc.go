// Package ledger keeps an orchestrator's accounts in tutti.db: the tickets that were
// credited, the work that was billed, the balances between the two, every winning ticket
// with the history of its states, and the secrets under which tickets are made. Entries
// are only ever added. Each moves an exact value from one account to another, so that
// Verify can recompute every balance and report what does not add up. Old entries are
// archived: rolled up by rounds into totals.
//
// It decides nothing about payments: tickets are checked before they come here, and the
// ledger refuses only what contradicts it. pm/recipient writes it, pm/redeemer records
// the progress of winners, pm/earnings and the command `tutti ledger` read it. A Summary
// answers the node's own page from sums in memory. One process may have a ledger open at
// a time: the node ensures that by the lock of its data directory, and the ledger stops
// for good when it finds that another process wrote.
package ledger
