package telemetry

import (
	"context"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/tuttinode/tutti/core/fault"
)

// scope names this program's instrumentation in exported spans.
const scope = "github.com/tuttinode/tutti"

// SpanKind is the side of a call that a span is on.
type SpanKind = trace.SpanKind

// The kinds in use.
const (
	Server   = trace.SpanKindServer
	Client   = trace.SpanKindClient
	Internal = trace.SpanKindInternal
)

// Key names an attribute.
type Key string

// Span is a piece of work in a trace. The zero Span is of no trace, and its methods do nothing. A Span is used by one
// goroutine at a time.
type Span struct{ span trace.Span }

// Child begins a span below the one in ctx, named operation and subject. Without one in ctx, and where the trace is not
// sampled, it returns ctx and the zero Span.
func Child(ctx context.Context, kind SpanKind, operation, subject string) (context.Context, Span) {
	parent := trace.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	ctx, span := parent.TracerProvider().Tracer(scope).Start(ctx, name(operation, subject), trace.WithSpanKind(kind))
	return ctx, Span{span}
}

// Current returns the span in ctx.
func Current(ctx context.Context) Span {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return Span{}
	}
	return Span{span}
}

// maxSubject bounds a name that clients choose, in bytes. The SDK bounds attributes, not names.
const maxSubject = 128

func name(operation, subject string) string {
	if subject == "" {
		return operation
	}
	return operation + " " + clean(subject[:min(len(subject), maxSubject)])
}

// clean returns a text without bytes that are no UTF-8: a collector takes no request with a text that is none, and all
// spans in it would be lost.
func clean(text string) string { return strings.ToValidUTF8(text, "") }

// On reports whether the span is recorded.
func (s Span) On() bool { return s.span != nil }

// Text sets an attribute. An empty value is left out.
func (s Span) Text(key Key, value string) {
	if s.span != nil && value != "" {
		s.span.SetAttributes(attribute.String(string(key), clean(value)))
	}
}

// Int sets an attribute.
func (s Span) Int(key Key, value int64) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int64(string(key), value))
	}
}

// Seconds sets an attribute.
func (s Span) Seconds(key Key, value time.Duration) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Float64(string(key), value.Seconds()))
	}
}

// Fail marks the span as failed with the code of err; nil is no failure. The error's text stays in the log: it may
// repeat what a client wrote.
func (s Span) Fail(err error) {
	if s.span != nil && err != nil {
		s.FailCode(fault.CodeOf(err))
	}
}

// FailCode is Fail for a code; "" is no failure.
func (s Span) FailCode(code fault.Code) {
	if s.span == nil || code == "" {
		return
	}
	s.span.SetAttributes(attribute.String(string(ErrorType), string(code)))
	s.span.SetStatus(codes.Error, string(code))
}

// End ends the span. Further calls do nothing.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}

// TraceID returns the trace's ID in hex, "" where it is not recorded.
func (s Span) TraceID() string {
	if s.span == nil {
		return ""
	}
	return s.span.SpanContext().TraceID().String()
}
