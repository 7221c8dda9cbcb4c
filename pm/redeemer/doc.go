// Package redeemer turns winning tickets into money. It follows each ticket from the
// draw to the final payout, or records why it was not paid, and writes every step to the
// ledger before it acts on it or reports it.
//
// It holds no key and sends nothing itself: the Actor does. It does not check payments:
// package pm/recipient does and hands over the winners. It keeps no accounts: package
// pm/ledger does. An orchestrator runs a Redeemer in its process, or a separate process
// runs one behind the service of package server/redeemer.
//
// # Invariants
//
// A ticket is not sent before its parameters expire, because sending it reveals the
// random number of all tickets of the set. It is sent once, and again only after a
// transaction that failed; the Actor remembers both across restarts. What is on the
// chain counts, not what was sent: a ticket that another account redeemed is paid as
// well, and one whose block was undone goes back into the queue. Problems of one sender
// do not delay another sender's tickets.
//
// # Batches
//
// Tickets of one sender and one round are sent in one transaction. The transaction
// succeeds although the contract refuses single tickets, so each is estimated alone
// before, the gas limit is the sum of theirs, and the receipt says which were paid. The
// transaction's Once text names all of them: after a restart a ticket is found by it.
//
// A Leader makes one of several nodes redeem the winning tickets of all books in one database: the
// leader runs a redeemer, the others wait, and when the leader is gone another takes over. The
// database decides which node leads.
//
// A PayoutWatcher follows the tickets that this process handed to another one's redeemer
// (-redeemerAddr): it redeems nothing and hands nothing over.
package redeemer
