// Package txmgr is the one owner of the account's nonces, gas prices, replacements and confirmations. Callers
// say what they want done; the Manager answers when it is mined, or why it is not.
//
// It builds no calls, holds no key and knows no contract: it gets a Backend that talks to the chain, a Signer
// and a Journal. cmd/tutti makes one Manager per account and runs it, passes it the heads, and puts it behind
// protocol.Actor.
//
// # Invariants
//
// A signed transaction is in the journal, on disk, before it is first sent, and its nonce is never given to
// another one: only the chain consumes a nonce. After a restart everything that is not settled is looked up
// and sent again, the same bytes. When an endpoint's answer was lost, the transaction counts as sent.
//
// All of it holds for one chain. Before anything is resumed or sent, the hash of block 0 is compared with the
// one of the records: those of an earlier chain with the same number are set aside.
//
// A record is settled when the transaction that used its nonce has enough blocks on it, whether one of our
// attempts or a foreign one. Until then a reorg may bring any attempt back, so a Once text is free
// again only when the failure of its transaction is settled.
//
// # How a nonce is freed
//
// A transaction is given up because its Until passed, because every endpoint refuses it for good, or because
// it used up its replacements and blocks others. It cannot just be dropped: its nonce would block all later
// ones, and its bytes could be mined any time. So a cancel, an empty transfer of the account to itself with
// the same nonce and a higher fee, is signed as a further attempt of the same record. One of them is mined,
// and that decides. The same transfer fills a gap that a foreign transaction left.
//
// # The journal
//
// journal_store.go and its neighbors keep the node's transactions in tutti.db: the request, the signed
// bytes, and the result. A record is on disk when Put returns, so that no crash loses a transaction
// that an endpoint may have. RewardLog keeps the outcomes of the rewards next to them.
package txmgr
