// Package liverunner keeps the live runners of an orchestrator and their sessions: which are registered,
// which take work, what is reserved. Live runners are applications behind the orchestrator (HTTP, SSE or
// WebSocket servers) whose clients hold a session for minutes.
//
// A runner is registered by the operator (static), and then watched by its health address, or registers
// itself (dynamic) and is kept by heartbeats. Capacity counts sessions. A session ends when it is stopped
// or when its runner goes; its end is reported once.
//
// docs/live.md has the rules; the texts are the network's.
package liverunner
