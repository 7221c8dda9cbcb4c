// Package tracing sends the node's spans to the operator's collector (-otlpEndpoint) by OTLP over HTTP, with
// OpenTelemetry's SDK. It is the only importer of the SDK; the node's parts use core/tracing.
//
// A span that ends goes into a queue that is bounded; what does not fit, or is not taken in time, is dropped, counted,
// and the condition TracesLost. No work waits for the collector. cmd/tutti runs the Exporter as a component.
package tracing
