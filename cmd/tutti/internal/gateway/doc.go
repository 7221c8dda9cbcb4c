// Package gateway wires the gateway's role: the listener for streams and players, the way of AI
// requests to orchestrators, payments for both, and the check that orchestrators answer. Routing
// and payment are decided in core and pm.
package gateway
