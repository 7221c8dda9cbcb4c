// Package registry knows which orchestrators a gateway on the chain may use: those of
// the active set, at the addresses of the service registry, with their stake and the
// further nodes they name.
//
// It keeps what it read last while the chain is away, asks all of them from time to
// time what they cost, and says of an offer whose it is. It chooses nobody: that is
// core/selectionweights's part. cmd/tutti runs it; server/gateway and its broker ask it.
package registry
