// Package videorouting is a gateway's rules: which orchestrator a stream uses, when it
// leaves one, what is tried again and for how long.
//
// It is pure: no sockets, no clocks, no randomness. The time is a parameter,
// answers come in as Offers and go out as Sessions. server/gateway is its
// caller and does the talking.
package videorouting
