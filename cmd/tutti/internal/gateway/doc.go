// Package gateway wires the gateway's role: the listener for streams and players, the way of AI
// requests to orchestrators, payments for both, and the check that orchestrators answer. Routing
// and payment are decided in core and pm.
//
// A Signer is the role of a remote signer, which pays for gateways that have no key: the account that pays, what it may
// spend, and the listener for gateways. What is signed is decided in pm/remotesigner.
package gateway
