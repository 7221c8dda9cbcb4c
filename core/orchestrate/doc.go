// Package orchestrate implements an orchestrator's rules: its offers, the admission of
// segments and AI jobs, the order of segments within a session, the end of sessions and
// the lifetime of renditions.
//
// It does not handle HTTP, gRPC or protobufs (server/orchestrator does), codecs
// (core.Transcoder) or tickets (Payments, nil off-chain, where all work is free). Time and
// randomness are passed in. cmd/tutti builds one Orchestrator per process.
package orchestrate
