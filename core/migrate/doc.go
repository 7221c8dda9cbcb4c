// Package migrate takes over what a node of the existing network left in its data
// directory: key files, and winning tickets that were not redeemed. That directory is
// only read, and never opened as a database: SQLite may change a file by looking at
// it, so a private copy is looked at instead.
//
// It decides nothing about money: a Settler asks the chain whether a ticket is still
// worth something and hands it to the ledger and the redeemer of this node. What was
// taken over is kept in the table of this package in tutti.db, so that it happens
// once, whatever becomes of either directory. It knows no SQLite driver, no HTTP and
// no RPC; cmd/tutti is its caller, for the node and for `tutti migrate`.
package migrate
