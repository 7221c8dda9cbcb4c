// Package ledgercmd is `tutti ledger`: it shows, verifies and exports the ledger of a data
// directory or of -store, and moves it from one to the other. Only cmd/tutti calls it.
package ledgercmd
