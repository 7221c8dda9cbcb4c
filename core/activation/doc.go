// Package activation is the way to become an orchestrator, and to change what one
// says of oneself on the chain: which transactions are left to do, in which order,
// at what cost, and what stands in the way.
//
// Nothing is remembered between the steps: each plan is made from what the chain
// says, so that a run that broke in the middle goes on at the open step. It asks
// nobody and prints nothing; the admin API is its caller, and through it
// tutti_cli.
package activation
