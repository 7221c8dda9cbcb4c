// Package chain is the node inside tutti_devnet: a go-ethereum node in memory
// whose blocks this package makes itself, so that the chain keeps Arbitrum's
// habits. Several blocks may share a second, the base fee is what it was set to,
// each header says which L1 block its transactions saw, and the last blocks can be
// made anew on a fork.
//
// It knows nothing of the protocol's contracts and speaks to no client: front
// answers clients, and package stage deploys. Only cmd/tutti_devnet calls it.
package chain
