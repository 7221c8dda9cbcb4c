// Package contracts describes the protocol's contracts in domain words: their addresses, reads, calls, events
// and revert reasons.
//
// It opens no connection and holds no key. Reads go through a Batcher. The transaction manager signs
// only values of type Call, and only this package makes them, so no other transaction can be signed.
// The chain adapter's other packages are its callers.
//
// ethcall.go has the types of batched reads: many calls in one JSON-RPC batch, all at one block.
// The endpoint client implements Batcher.
package contracts
