// Package redeemer turns winning tickets into money: it takes each from being won
// to being paid for good, or says why that could not be, and writes every step to
// the ledger before it acts on it or tells of it.
//
// It holds no key and sends nothing itself, that is the Actor's; it judges no
// payment, that is package pm/recipient's, which hands it the winners; and it keeps
// no books, that is package pm/ledger's. An orchestrator runs one, or a process of
// its own does behind the service of package server/redeemer.
//
// # What holds whatever happens
//
// A ticket is not sent before its parameters expire, because that tells the random
// number of all tickets of the set. It is sent once, and again only after a
// transaction that failed: the Actor remembers both across restarts. What is found on
// the chain counts, not what was sent: a ticket that somebody else redeemed is paid as
// well, and one whose block was undone goes back into the queue. No sender's trouble
// holds up another's tickets.
//
// # Batches
//
// Tickets of one sender and one round are sent in one transaction. It succeeds although
// the contract refuses single tickets, so that each is tried out alone before, the gas limit
// is the sum of theirs, and the receipt says which were paid. The transaction's Once text
// names all of them: by it a ticket is found again after a restart.
package redeemer
