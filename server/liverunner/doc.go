// Package liverunner serves live runners on the orchestrator's public port: their registration and
// heartbeats, discovery for clients, sessions, the proxying of requests (HTTP, SSE, WebSocket) to the
// runners, and the channels and proxy URLs that runners open for a session.
//
// Runners' own addresses never leave the node, not even in errors. Names of sessions, channels and proxy
// URLs are credentials and are not logged in full.
//
// RunProgram keeps the program of a runner going that the operator has the node start, with its
// children; cmd/tutti gives it the GPUs that the plan of the models has for it.
//
// docs/live.md says what runners and clients send; package core/liverunner keeps the state.
package liverunner
