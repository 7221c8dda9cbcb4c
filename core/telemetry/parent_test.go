package telemetry_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/tuttinode/tutti/core/telemetry"
)

const (
	good    = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	goodOff = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
)

// tracer makes spans that are not recorded, but carry their parent on.
func tracer() *telemetry.Tracer {
	return telemetry.NewTracer(passing{}, func() bool { return true }, telemetry.Trust{All: true})
}

// passing is a provider whose spans are their parents.
type passing struct{ trace.TracerProvider }

func (passing) Tracer(string, ...trace.TracerOption) trace.Tracer { return passingTracer{} }

type passingTracer struct{ trace.Tracer }

func (passingTracer) Start(ctx context.Context, _ string, _ ...trace.SpanStartOption) (context.Context, trace.Span) {
	return ctx, trace.SpanFromContext(ctx)
}

// next returns the headers for the next hop of a request with these headers.
func next(h http.Header) http.Header {
	ctx, _ := tracer().Start(context.Background(), telemetry.FromHeader(h), false, telemetry.Server, "x", "", origin)
	out := http.Header{}
	telemetry.Inject(ctx, out)
	return out
}

// What strangers may write into the headers: only what the standard allows goes on.
func TestHostileParents(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a=1,", 200) + "b=2"
	for name, tt := range map[string]struct {
		parents, states []string
		parent, state   string
	}{
		"sampled":               {parents: []string{good}, parent: good},
		"not sampled":           {parents: []string{goodOff}, parent: goodOff},
		"other flags":           {parents: []string{good[:53] + "ff"}, parent: good},
		"other flags, off":      {parents: []string{good[:53] + "fe"}, parent: goodOff},
		"state":                 {parents: []string{good}, states: []string{"v=1,w=2"}, parent: good, state: "v=1,w=2"},
		"states":                {parents: []string{good}, states: []string{"v=1", "w=2"}, parent: good, state: "v=1,w=2"},
		"state without parent":  {states: []string{"v=1"}},
		"long state":            {parents: []string{good}, states: []string{long}, parent: good},
		"many states":           {parents: []string{good}, states: strings.Split(long, ","), parent: good},
		"state that is no list": {parents: []string{good}, states: []string{"\x00=\xff"}, parent: good},
		"state with line break": {parents: []string{good}, states: []string{"a=1\r\nX: y"}, parent: good},
		"none":                  {},
		"empty":                 {parents: []string{""}},
		"two":                   {parents: []string{good, good}},
		"upper case":            {parents: []string{strings.ToUpper(good)}},
		"no trace":              {parents: []string{"00-00000000000000000000000000000000-b7ad6b7169203331-01"}},
		"no span":               {parents: []string{"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"}},
		"short":                 {parents: []string{good[:54]}},
		"version 00 with more":  {parents: []string{good + "-x"}},
		"later version":         {parents: []string{"01" + good[2:] + "-what-may-be"}, parent: good},
		"later, run together":   {parents: []string{"01" + good[2:] + "x"}},
		"version ff":            {parents: []string{"ff" + good[2:]}},
		"huge":                  {parents: []string{"01" + good[2:] + "-" + strings.Repeat("x", 1<<20)}},
		"no hex":                {parents: []string{"00-0af7651916cd43dd8448eb211c80319z-b7ad6b7169203331-01"}},
		"blank":                 {parents: []string{" " + good}},
		"not ASCII":             {parents: []string{"00-0af7651916cd43dd8448eb211c8031é-b7ad6b7169203331-01"}},
		"no dash":               {parents: []string{strings.Replace(good, "-", "0", 2)}},
	} {
		got := next(http.Header{"Traceparent": tt.parents, "Tracestate": tt.states})
		if got.Get("traceparent") != tt.parent || got.Get("tracestate") != tt.state {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// sampledOnly is parent without flags that this node drops and OpenTelemetry's reader refuses or keeps.
func sampledOnly(parent string) string {
	if len(parent) < len(good) {
		return parent
	}
	flags := "00"
	if strings.ContainsRune("13579bdf", rune(parent[54])) {
		flags = "01"
	}
	return parent[:53] + flags + parent[55:]
}

// FuzzParent compares with OpenTelemetry's own reader, which knows no bounds: what this one accepts, that one reads the
// same, and what goes on is valid and bounded.
func FuzzParent(f *testing.F) {
	for _, p := range []string{good, goodOff, "", "00", good + "-x", "01" + good[2:], "cc" + good[2:] + "-y"} {
		f.Add(p, "v=1")
		f.Add(p, "")
	}
	f.Fuzz(func(t *testing.T, parent, state string) {
		got := next(http.Header{"Traceparent": {parent}, "Tracestate": {state}})
		ctx := propagation.TraceContext{}.Extract(context.Background(),
			propagation.MapCarrier{"traceparent": sampledOnly(parent), "tracestate": state})
		want := trace.SpanContextFromContext(ctx)
		text := got.Get("traceparent")
		if text == "" {
			if len(got) > 0 {
				t.Fatalf("%q, %q: %v", parent, state, got)
			}
			return
		}
		if len(text) != len(good) || len(got.Get("tracestate")) > 512 {
			t.Fatalf("%q, %q: %v", parent, state, got)
		}
		if text[3:35] != want.TraceID().String() || text[36:52] != want.SpanID().String() ||
			text[53:] != want.TraceFlags().String() {
			t.Errorf("%q: %s, want %v", parent, text, want)
		}
	})
}
