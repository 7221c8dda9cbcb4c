// Package pipeline reads the requests of the network's AI pipelines: which model is requested, for
// how much work, and whether the request is valid. It does not change what it reads; a request
// travels on byte for byte.
//
// It runs nothing and knows no transport. The gateway's AI interface reads a client's request with
// it, the orchestrator a gateway's, so that both count the same units.
package pipeline
