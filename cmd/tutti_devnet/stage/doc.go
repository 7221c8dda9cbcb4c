// Package stage sets the protocol's contracts up on the test chain and plays the
// people around them: the owner who pauses and changes parameters, the bank that
// hands out ether and stake tokens, and orchestrators with their delegators.
//
// The contracts are data of eth/devnet; the blocks are made by package chain. Only
// cmd/tutti_devnet calls it.
package stage
