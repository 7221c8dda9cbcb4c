// Package pipeline reads the requests of the network's AI pipelines: which model
// is asked, for how much, and whether the request is one at all. What it reads
// it leaves as it is; a request travels on in the bytes that came.
//
// It runs nothing and knows no transport. The gateway's front reads a client's
// request with it, the orchestrator a gateway's, so that both count the same
// units.
package pipeline
