// Package aiworkers is the orchestrator's side of AI work on other machines: workers
// register with a secret over a stream, are given jobs on it, and send the answers
// back as requests. It is the inference.Worker of all of them together.
//
// It speaks to two kinds of workers: those of the existing network, exactly in its
// forms, and our own, who get requests unchanged and send answers back as their
// runners gave them. It runs no model itself and does not decide who is served:
// core/orchestrate does, and core/inference/fleet joins it with local runners.
package aiworkers
