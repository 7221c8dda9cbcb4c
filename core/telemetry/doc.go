// Package telemetry is what the node's parts know of its operator's telemetry: spans of traces, the events and reports
// of segments that message brokers get, and the ports that send them. server/telemetry implements these; conditions,
// logs and metrics are elsewhere (core/health, cmd/internal/logging, server/metrics).
//
// A span is a piece of work in the trace that a request carries from hop to hop (W3C Trace Context, the headers
// traceparent and tracestate). A part that receives requests has a *Tracer and begins a Span with it. Everything below
// takes the span out of its context with Child. Without a Tracer there is no span: all methods do nothing then and
// allocate nothing. Spans hold names, numbers and codes; prompts, answers, keys and tickets are never in them.
// server/telemetry makes the Tracer and sends spans to the operator's collector; nothing else imports the SDK.
//
// events.go names the events of live work, payments and discovery. Kinds and fields are those of the network's
// gateways, because the operator's analytics read them. Gateways and remote signers report events; gateways report
// segments, too. A port never blocks and never fails: work does not wait for a broker, and what cannot be sent is
// dropped and counted by the adapter.
package telemetry
