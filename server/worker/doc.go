// Package worker is what a remote worker does whatever its work is: it dials its
// orchestrators, registers with them, reads what they send, notices when they are
// gone and comes back, takes results to them, and takes leave when it stops.
//
// It knows nothing of segments or models: server/worker/transcoder and
// server/worker/ai say what is told at a registration and what is done with a
// notice (Work). The orchestrator's side is server/remote. cmd/tutti runs a Loop as
// a component after whatever does the work.
package worker
