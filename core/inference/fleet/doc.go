// Package fleet makes one inference.Worker of several: the runners of this machine
// and the AI workers that registered from others. The orchestrator's rules see one
// node with all their models, and a job gets the first slot that is free anywhere.
//
// It runs nothing, knows no network and starts nothing of its own: cmd/tutti hands
// it the workers, which live and end by themselves.
package fleet
