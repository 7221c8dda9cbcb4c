// Package broker finds an orchestrator for each AI job of a gateway: it discovers which
// orchestrators serve a model, keeps their terms fresh, sends the job to the one that
// core/airouting picks, and retries at others while no answer has begun.
//
// It checks no clients, queues no requests and does not read answers; that is server/gateway/aiapi,
// its caller. The protocol with one orchestrator is server/gateway/upstream.
package broker
