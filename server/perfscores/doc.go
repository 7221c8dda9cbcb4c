// Package perfscores reads the performance scores of orchestrators from the operator's service (-orchPerfStatsUrl),
// such as a leaderboard's aggregated statistics: an object of orchestrators, each with its regions and their scores.
//
// The scores of one region count (-region), without one the best of an orchestrator's regions. The service is read in
// the background and never waited for: while it fails the last scores stay for a day. What it answers is bounded and
// checked, and it cannot leave a gateway without an orchestrator: Overruled. cmd/tutti runs the Scores as a component.
package perfscores
