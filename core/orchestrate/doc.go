// Package orchestrate holds an orchestrator's rules: what it offers, whom it
// lets in, how the segments of a session follow one another, when a session
// ends and how long its renditions are kept.
//
// It knows nothing of HTTP, gRPC or protobufs (server/orchestrator brings
// requests in and carries answers out), nothing of codecs (core.Transcoder does
// the work) and nothing of what tickets are (Payments takes them; off-chain there
// is none, and everything is free). Time and randomness are passed in. cmd/tutti builds one Orchestrator per process.
package orchestrate
