// Package aiworkers is the orchestrator's side of AI work on other machines: workers
// register with a secret over a stream, are given jobs on it, and send the answers
// back as requests. It is the inference.Worker of all of them together.
//
// It serves two kinds of workers: those of the existing network, in its exact formats, and
// tutti workers, which get requests unchanged and return the runners' answers unchanged. It
// runs no model itself and does not decide which jobs are served: core/orchestrate does, and
// core/inference joins it with local runners.
package aiworkers
