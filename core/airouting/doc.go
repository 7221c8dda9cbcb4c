// Package airouting holds a gateway's rules for AI jobs: which orchestrator gets the next job of a
// model, which one rests after failures and for how long, what its model can do as it says or as its
// refusals teach, and where a conversation's prefix is cached.
//
// It is pure: no sockets, no clocks, no randomness. The time and a source of random numbers are
// parameters; server/gateway/broker is its caller and does the network calls. Video streams have
// their own rules in core/videorouting.
//
// modelroutes.go and modelfallback.go are the rules for names of models, for server/gateway/aiapi: which
// model of the network a requested name stands for, and which ones are asked when that one cannot
// answer. The operator's file is a parameter, too.
package airouting
