// Package store connects the ledger to PostgreSQL: it reads the address of -store,
// opens connections that look at one node's book or at what all nodes share, and says
// what the database's errors mean without naming its host or user. A connection that
// writes a book holds the book's lock, so that a node without its connection has lost its right
// to write as well.
//
// It knows no tables; those are package pm/ledger's. It is the only importer of pgx,
// and cmd/tutti is its only user.
package store
