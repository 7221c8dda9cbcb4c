// Package upstream is a gateway's way to orchestrators: discovery, the hand-over
// of segments, the download of renditions, and the end of sessions, as the
// network's wire interface has them.
//
// It chooses nothing and retries nothing; core/videorouting has the rules and
// server/gateway applies them. Errors are faults that name what went wrong with
// one orchestrator.
package upstream
