// Package migrate takes over what a node of the existing network left in its data directory:
// key files, and winning tickets that were not redeemed. That directory is only read, and never
// opened as a database: SQLite may change a file on opening it, so a private copy is read
// instead.
//
// It decides nothing about money: a Settler asks the chain whether a ticket is still worth
// something and hands it to the ledger and the redeemer of this node. Taken tickets are
// recorded in this package's table in tutti.db, so that each is taken once, whatever happens to
// either directory. It knows no SQLite driver, no HTTP and no RPC; cmd/tutti is its caller, for
// the node and for `tutti migrate`.
package migrate
