// Package contracts is the protocol's contracts in domain words: their addresses, reads, calls and events,
// and the reasons of their refusals.
//
// It opens no connection and holds no key. Reads go through a Batcher; a key signs a Call,
// and only this package makes one, so that no other transaction can be signed. The chain adapter's other
// packages are its callers.
//
// ethcall.go has the types of batched reads: many calls in one JSON-RPC batch, all at one block.
// The endpoint client implements Batcher.
package contracts
