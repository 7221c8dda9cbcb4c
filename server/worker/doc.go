// Package worker is the common part of remote workers: it dials the orchestrators,
// registers with them, reads their notifications, reconnects after a loss, posts results,
// and deregisters when the worker stops.
//
// It knows nothing of segments or models: server/worker/transcoder and server/worker/ai
// define what a registration offers and how a notification is handled (Work). The
// orchestrator's side is server/remote. cmd/tutti runs a Loop as a component after the
// engine that does the work.
package worker
