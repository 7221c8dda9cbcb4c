// Package remote serves the control API of the test chain: JSON-RPC over HTTP on
// a loopback port of its own, in the namespace devnet. eth/devnet/control is its
// client and holds its types.
//
// It decodes and passes on; the chain, the endpoints and the contracts do the work.
// Only cmd/tutti_devnet calls it.
package remote
