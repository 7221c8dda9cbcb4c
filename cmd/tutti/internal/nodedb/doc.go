// Package nodedb opens tutti.db, the node's SQLite database, and classifies its errors for
// those that must not import the driver. It knows no tables. The wiring and the commands
// ledger, migrate and init call it.
//
// datalock.go keeps a second process from writing the same files: the node holds the locks while it
// runs, and commands that write take the same ones.
package nodedb
