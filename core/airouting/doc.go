// Package airouting holds a gateway's rules for AI jobs: which orchestrator gets the next job of a
// model, which one rests after failures and for how long, and where a conversation's prefix is
// cached.
//
// It is pure: no sockets, no clocks, no randomness. The time and a source of random numbers are
// parameters; server/gateway/broker is its caller and does the network calls. Video streams have
// their own rules in core/videorouting.
package airouting
