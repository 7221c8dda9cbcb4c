// Package airouting is a gateway's rules for AI jobs: which orchestrator gets the
// next job of a model, which one is left alone after failures and for how long,
// and where a conversation's beginning is remembered.
//
// It is pure: no sockets, no clocks, no randomness. The time and a source of
// random numbers are parameters; server/gateway/broker is its caller and does
// the talking. Streams of video have rules of their own in core/videorouting.
package airouting
