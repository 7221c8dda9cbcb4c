// Package contracts is the protocol's contracts in domain words: where they are,
// what can be asked of them, what an account can do with them, what they tell in
// events and why they refuse.
//
// It opens no connection and holds no key. Reads travel through package ethcall's
// Batcher; a key signs what is a Call, and a Call is made here alone, so that no
// other transaction can be signed. The chain adapter's other packages are its
// callers.
package contracts
