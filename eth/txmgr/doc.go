// Package txmgr is the one owner of the account's nonces, of what transactions
// pay for gas, of their replacement and of their confirmation. Callers say what
// they want done; the Manager answers when it is mined, or says why it is not.
//
// It builds no calls, holds no key and knows no contract: it is given a Backend
// that talks to the chain, a Signer and a Journal. cmd/tutti makes one Manager per
// account and runs it, gives it the heads, and puts it behind protocol.Actor.
//
// # What holds whatever happens
//
// A signed transaction is in the journal, on disk, before it is sent for the first
// time, and its nonce is never given to another one: only the chain takes a nonce
// away. After a restart everything that is not settled is looked up and sent
// again, the same bytes. What an endpoint did with a transaction when its answer
// was lost is unknown, and treated as sent.
//
// All of it holds for one chain. Before anything is taken up or sent, the hash of
// block 0 is compared with the one that the records belong to: those of a chain
// that was there before, with the same number, are set aside.
//
// A record is settled when the transaction that used its nonce has enough blocks
// on it, whichever that is: one of our attempts, or one of somebody else. Until
// then a reorganisation may bring any attempt back, so a Once text is free again
// only when the failure of its transaction is settled.
//
// # How the lane is freed
//
// A transaction that is given up, because its Until passed, because every endpoint
// refuses it for good, or because it outlived its replacements and holds others
// up, cannot just be forgotten: its nonce would block all later ones, and its
// bytes could be mined any time. A cancel, an empty transfer of the account to
// itself with the same nonce and a higher fee, is signed as a further attempt of
// the same record. One of them is mined, and that decides. The same transfer fills
// a gap that a foreign transaction left behind.
package txmgr
