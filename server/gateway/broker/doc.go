// Package broker finds an orchestrator for each AI job of a gateway: it discovers
// who serves a model, keeps their terms fresh, sends the job to the one that
// core/airouting picks, and goes elsewhere while the answer has not begun.
//
// It does not judge clients, hold back their requests or look into answers; that
// is server/gateway/aiapi, its caller. What one exchange with one orchestrator is
// belongs to server/gateway/upstream.
package broker
