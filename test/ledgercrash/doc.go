// Package ledgercrash kills the ledger at every moment and looks at what is left.
// In a simulated file system every write, truncation and sync is recorded while a
// real ledger runs on it; then, for each of these moments, the files are made again
// as a power cut could have left them: what was not synced is there, missing, partly
// there, in any order, or torn between sectors. A ledger that is opened on them must
// hold every ticket whose Append had returned exactly once, none that was never
// appended, and its books must add up. Besides that, writes fail in every place, and
// a real process with real files is killed many times.
//
// It is no part of the node and holds nothing but tests. `go test` runs a bounded
// number of moments; TUTTI_LEDGERCRASH_POINTS and TUTTI_LEDGERCRASH_KILLS make it
// more, TUTTI_LEDGERCRASH_EVERY=1 lets each single write fail, and
// TUTTI_LEDGERCRASH_SEED makes it others.
package ledgercrash
