// Package ai is a remote AI worker: it tells orchestrators which models this machine
// has, does the jobs that they send, and takes the answers back. The models are any
// inference.Worker's, ai/manager's as a rule.
//
// It speaks to orchestrators of the existing network in their forms, and to our own
// without changing request or answer. Dialling, registering and coming back are
// server/worker's; the other end is server/remote/aiworkers. cmd/tutti runs it.
package ai
