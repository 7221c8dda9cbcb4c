// Package tracing is what the node's parts know of traces: a span for a piece of work, and the trace that a request
// carries from hop to hop (W3C Trace Context, the headers traceparent and tracestate).
//
// A part that receives requests has a *Tracer and begins a Span with it. Everything below takes the span out of its
// context with Child. Without a Tracer there is no span: all methods do nothing then and allocate nothing. Spans hold
// names, numbers and codes; prompts, answers, keys and tickets are never in them.
//
// server/tracing makes the Tracer and sends spans to the operator's collector; nothing else imports the SDK.
package tracing
