// Package chain is the node inside tutti_devnet: a go-ethereum node in memory whose blocks this package makes
// itself, so that the chain behaves like Arbitrum. Several blocks may share a second, the base fee is a
// setting, each header contains the L1 block that its transactions saw, and the last blocks can be replaced
// by a fork.
//
// It knows no contract of the protocol and answers no client: package endpoints answers clients, and
// cmd/tutti_devnet deploys the contracts. Only cmd/tutti_devnet calls it.
package chain
