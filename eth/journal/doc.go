// Package journal keeps the node's transactions in tutti.db: what was asked for,
// the bytes that were signed for it, and how it ended. A record is on disk when
// Put returns, so that whatever happens to the process, nothing that may be in
// the hands of an endpoint is forgotten.
//
// It decides nothing about transactions and sends none. Package txmgr writes and
// reads it; cmd/tutti opens the database.
package journal
