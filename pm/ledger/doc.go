// Package ledger keeps an orchestrator's books in tutti.db: the tickets that were
// credited, the work that was billed, the accounts between the two, every winning
// ticket with the history of its states, and the secrets under which tickets are
// made. Entries are only ever added; each moves an exact value from one account to
// another, so that Verify can work out every balance again and say what does not
// add up. What is over and done with is rolled up by rounds into totals.
//
// It decides nothing about payments: whether a ticket is good is judged before it
// comes here, and the ledger refuses only what contradicts its books. pm/recipient
// writes it, pm/redeemer notes what became of winners, pm/earnings and the command
// `tutti ledger` read it; what the node's own page asks is answered by a Summary, which
// keeps the sums in memory. One process may have it open at a time; the node makes
// sure of that by the lock of its data directory, and the ledger stops for good
// when it finds that somebody else wrote.
package ledger
