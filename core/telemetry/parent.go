package telemetry

import (
	"context"
	"encoding/hex"
	"strings"

	"go.opentelemetry.io/otel/trace"
)

// The headers of W3C Trace Context, in canonical form, because they are read and set directly.
const (
	ParentHeader = "Traceparent"
	StateHeader  = "Tracestate"
)

const (
	// parentSize is the length of version 00: version, trace, span and flags in hex with dashes.
	parentSize = 2 + 1 + 32 + 1 + 16 + 1 + 2
	// maxParent bounds later versions, maxState the tracestate: its standard asks for 512 to be passed on.
	maxParent, maxState = 128, 512
)

// Parent is the span of another node that a request belongs to; the zero Parent is none.
type Parent struct{ context trace.SpanContext }

// ParseParent reads the values of the two headers. Anything that is not exactly as the standard says is no parent; a
// state that cannot be read, or is longer than 512 bytes, is dropped alone.
func ParseParent(parent, state string) Parent {
	if parent == "" {
		return Parent{}
	}
	c, ok := parse(parent)
	if !ok {
		return Parent{}
	}
	if state != "" && len(state) <= maxState {
		if s, err := trace.ParseTraceState(state); err == nil {
			c.TraceState = s
		}
	}
	return Parent{trace.NewSpanContext(c)}
}

// FromHeader reads the two headers of a request. More than one traceparent is none; several lines of tracestate are one
// list.
func FromHeader(h map[string][]string) Parent {
	lines := h[ParentHeader]
	if len(lines) != 1 {
		return Parent{}
	}
	states := h[StateHeader]
	if len(states) > 1 {
		return ParseParent(lines[0], joined(states))
	}
	if len(states) == 1 {
		return ParseParent(lines[0], states[0])
	}
	return ParseParent(lines[0], "")
}

// joined returns the lines as one list, "" where it would be too long.
func joined(lines []string) string {
	size := 0
	for _, l := range lines {
		if size += len(l) + 1; size > maxState {
			return ""
		}
	}
	return strings.Join(lines, ",")
}

func parse(s string) (c trace.SpanContextConfig, ok bool) {
	if len(s) < parentSize || len(s) > maxParent || s[2] != '-' || s[35] != '-' || s[52] != '-' {
		return c, false
	}
	var version, flags [1]byte
	if !read(version[:], s[:2]) || version[0] == 0xff || !read(c.TraceID[:], s[3:35]) ||
		!read(c.SpanID[:], s[36:52]) || !read(flags[:], s[53:parentSize]) {
		return c, false
	}
	if version[0] == 0 && len(s) != parentSize || len(s) > parentSize && s[parentSize] != '-' {
		return c, false
	}
	// Of the flags only the sampled one is passed on: others mean nothing to this node.
	c.TraceFlags = trace.TraceFlags(flags[0]) & trace.FlagsSampled
	c.Remote = true
	return c, c.TraceID.IsValid() && c.SpanID.IsValid()
}

// read decodes hex in lower case.
func read(to []byte, s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	_, err := hex.Decode(to, []byte(s))
	return err == nil
}

// Headers returns the values for the next hop; both are "" without a trace in ctx.
func Headers(ctx context.Context) (parent, state string) {
	c := trace.SpanContextFromContext(ctx)
	if !c.IsValid() {
		return "", ""
	}
	b := make([]byte, 0, parentSize)
	b = append(b, "00-"...)
	trID, spanID := c.TraceID(), c.SpanID()
	b = hex.AppendEncode(b, trID[:])
	b = append(b, '-')
	b = hex.AppendEncode(b, spanID[:])
	b = append(b, "-00"...)
	if c.IsSampled() {
		b[len(b)-1] = '1'
	}
	return string(b), c.TraceState().String()
}

// Inject sets the headers of a request for the next hop. It does nothing without a trace in ctx.
func Inject(ctx context.Context, h map[string][]string) {
	parent, state := Headers(ctx)
	if parent == "" {
		return
	}
	h[ParentHeader] = []string{parent}
	if state != "" {
		h[StateHeader] = []string{state}
	}
}
