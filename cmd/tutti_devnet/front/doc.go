// Package front is what clients of the test chain dial: JSON-RPC over HTTP and
// websocket on loopback, several endpoints beside one another. It adds what
// Arbitrum's nodes say and Ethereum's do not (the L1 block of each block, a price
// without tip, the refusal of who pays too little), and each endpoint can be made
// to misbehave like a bad provider.
//
// It executes nothing itself: package chain does. Only cmd/tutti_devnet calls it.
package front
