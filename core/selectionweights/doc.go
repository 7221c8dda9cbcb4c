// Package selectionweights is the rule by which a gateway on the chain chooses among orchestrators:
// by stake, price and chance, in proportions that its operator sets, and by their measured
// performance.
//
// It is pure: random numbers and the time are parameters, and it knows nothing of sessions or
// sockets. core/videorouting uses it for streams, core/airouting for AI jobs; server/gateway keeps
// the measurements.
package selectionweights
