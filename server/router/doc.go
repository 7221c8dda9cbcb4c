// Package router answers gateways for several orchestrators of one operator: a request for
// an offer returns that of the least loaded orchestrator, which the gateway then calls
// directly. Segments and payments do not pass the router, so that it needs no key, no price
// and no state, and may run twice.
//
// It chooses by the orchestrators' answers and their public /status. Requests are forwarded
// unchanged, after their form and signature were checked, so that signatures remain valid.
// To its orchestrators a router is one address: it bounds the calls that one of its peers
// causes (admission.Cause), and the operator configures it as a known peer.
package router
