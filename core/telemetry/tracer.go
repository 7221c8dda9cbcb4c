package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/tuttinode/tutti/core"
)

// Tracer begins the spans of requests that arrive. A nil Tracer begins none.
type Tracer struct {
	tracer trace.Tracer
	draw   func() bool
	trust  Trust
}

// Trust is whose sampled flag a node honors. All others' traces are continued, but whether they are recorded is
// for this node's ratio alone: a stranger cannot make it record more.
type Trust struct {
	// All: that of every sender.
	All bool
	// Keys: that of clients with a valid API key, at a gateway.
	Keys bool
	// Gateways: that of gateways with these accounts, at an orchestrator. Read-only.
	Gateways []core.Address
}

// NewTracer makes a Tracer of the SDK's. draw decides whether a trace is recorded where no trusted sender did. The
// SDK's sampler must follow the flag of a remote parent and call draw where there is none.
func NewTracer(provider trace.TracerProvider, draw func() bool, trust Trust) *Tracer {
	return &Tracer{tracer: provider.Tracer(scope), draw: draw, trust: trust}
}

// Start begins the span of a request that arrived at began, below the remote parent if there is one. trusted: the
// sender's sampled flag is honored. The context carries the trace even where it is not recorded, so that the next hops
// learn that.
func (t *Tracer) Start(ctx context.Context, from Parent, trusted bool, kind SpanKind, operation, subject string,
	began time.Time) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx, span := t.tracer.Start(t.with(ctx, from, trusted), name(operation, subject), trace.WithSpanKind(kind),
		trace.WithTimestamp(began))
	if !span.IsRecording() {
		return ctx, Span{}
	}
	return ctx, Span{span}
}

// with returns ctx with the remote parent and the decision whether to record.
func (t *Tracer) with(ctx context.Context, from Parent, trusted bool) context.Context {
	if !from.context.IsValid() {
		return ctx
	}
	parent := from.context
	if !trusted && !t.trust.All {
		parent = parent.WithTraceFlags(parent.TraceFlags().WithSampled(t.draw()))
	}
	return trace.ContextWithRemoteSpanContext(ctx, parent)
}

// On reports whether spans are made.
func (t *Tracer) On() bool { return t != nil }

// TrustsKeys reports whether the flag of clients with a valid API key is honored.
func (t *Tracer) TrustsKeys() bool { return t != nil && t.trust.Keys }

// TrustsGateway reports whether the flag of a gateway is honored. account must be proven by a signature; the zero
// account, which all gateways off-chain have, is never trusted.
func (t *Tracer) TrustsGateway(account core.Address) bool {
	if t == nil || account == (core.Address{}) {
		return false
	}
	for _, g := range t.trust.Gateways {
		if g == account {
			return true
		}
	}
	return false
}
