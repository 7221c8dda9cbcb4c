// Package leader has one of several nodes redeem the winning tickets of all books that
// lie in one database: the node that leads runs a redeemer, the others wait, and when
// the leader is gone another takes over. On every node it knows what is to be redeemed
// of each sender's tickets, whoever won them, because that is missing in what the
// sender can pay.
//
// It sends nothing itself, that is package pm/redeemer's, and keeps no books, that is
// package pm/ledger's; who may lead is the database's to say. cmd/tutti uses it in
// place of a redeemer.
package leader
