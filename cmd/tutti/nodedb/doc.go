// Package nodedb opens a node's databases: tutti.db, its SQLite database, and the PostgreSQL database of -store, which
// holds the ledger of one node or of several. It classifies their errors for those that must not import the drivers
// (DiskFull, StoreFull and so on). It knows no tables; those are package pm/ledger's and others'. The wiring and the
// commands ledger, migrate and init call it.
//
// A Store opens connections that look at one node's book or at what all nodes share, and says what the database's
// errors mean without naming its host or user. A connection that writes a book holds the book's lock, so that a node
// without its connection has lost its right to write as well. This is the only importer of pgx.
//
// datalock.go keeps a second process from writing the same files: the node holds the locks while it
// runs, and commands that write take the same ones.
package nodedb
