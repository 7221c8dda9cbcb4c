// Package journal keeps the node's transactions in tutti.db: the request, the signed bytes, and the result. A
// record is on disk when Put returns, so that no crash loses a transaction that an endpoint may have. RewardLog
// keeps the outcomes of the rewards beside them.
//
// It decides nothing about transactions and sends none. Package txmgr writes and reads it; cmd/tutti opens
// the database.
package journal
