// Package nodedb opens tutti.db, the node's SQLite database, and classifies its errors for
// those that must not import the driver. It knows no tables. The wiring and the commands
// ledger, migrate and init call it.
package nodedb
