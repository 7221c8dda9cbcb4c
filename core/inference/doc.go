// Package inference is AI work in the node's words: models and what they are
// asked to do, the state a model is in, what a job used, and the ports between
// the orchestrator's and gateway's rules and whatever runs the models.
//
// It holds no rules of its own and meets no network: ai implements Worker with
// containers and external servers, core/orchestrate decides which job gets a slot,
// server/gateway finds orchestrators, server/metrics counts.
//
// A Fleet is one Worker made of several: the runners of this machine and the AI workers that
// registered from others. A job gets the first slot that is free anywhere. It runs nothing and
// starts nothing of its own.
package inference
