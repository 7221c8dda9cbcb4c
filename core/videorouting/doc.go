// Package videorouting holds a gateway's rules for video: which orchestrator a stream uses, when it
// leaves it, what is retried and for how long.
//
// It is pure: no sockets, no clocks, no randomness. The time is a parameter, answers come in as
// Offers and go out as Leases. server/gateway is its caller and does the network calls.
package videorouting
