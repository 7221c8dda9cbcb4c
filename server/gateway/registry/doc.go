// Package registry knows which orchestrators a gateway on the chain may use: those of the active
// set, at the addresses of the service registry, with their stake and the extra nodes they name.
//
// It keeps what it read last while the chain is unavailable, asks all of them regularly for their
// prices, and determines the owner of an offer. It does not choose among them: that is
// core/selectionweights. cmd/tutti runs it; server/gateway and its broker use it.
//
// Scores are what the operator's service says of their performance (-orchPerfStatsUrl), such as a leaderboard's
// aggregated statistics: an object of orchestrators, each with its regions and their scores. The scores of one region
// count (-region), without one the best of an orchestrator's regions. The service is read in the background and never
// waited for: while it fails the last scores stay for a day. What it answers is bounded and checked, and it cannot
// leave a gateway without an orchestrator: Overruled.
package registry
