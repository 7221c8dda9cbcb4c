// Package control speaks to a running tutti_devnet, the local test chain: it
// advances the L1 clock, funds accounts, reorganizes the chain and makes
// endpoints misbehave. It is plain JSON-RPC over HTTP and pulls in no node.
//
// Tests and the demo call it; a node never does. The types here are also those of
// the server, so that both sides agree on every name.
package control
