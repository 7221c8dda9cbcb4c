// Package registry knows which orchestrators a gateway on the chain may use: those of the active
// set, at the addresses of the service registry, with their stake and the extra nodes they name.
//
// It keeps what it read last while the chain is unavailable, asks all of them regularly for their
// prices, and determines the owner of an offer. It does not choose among them: that is
// core/selectionweights. cmd/tutti runs it; server/gateway and its broker use it.
package registry
