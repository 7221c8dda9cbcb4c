package telemetry_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	coretelemetry "github.com/tuttinode/tutti/core/telemetry"
	"github.com/tuttinode/tutti/server/telemetry"
	"github.com/tuttinode/tutti/test/collector"
)

// otlpRig is a running export of traces.
type otlpRig struct {
	*telemetry.OTLP
	board *health.Board
	log   *strings.Builder
	stop  func()
}

func startOTLP(t *testing.T, o telemetry.OTLPOptions) *otlpRig {
	t.Helper()
	r := &otlpRig{log: &strings.Builder{}}
	log := slog.New(slog.NewTextHandler(r.log, nil))
	r.board = health.New(log, time.Now, nil)
	o.Board, o.Log, o.Node, o.Version, o.CheckEvery = r.board, log, "node", "0.1", 20*time.Millisecond
	var err error
	if r.OTLP, err = telemetry.NewOTLP(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	r.stop = run(t, r.OTLP)
	return r
}

func (r *otlpRig) condition() string { return lossOf(r.board, fault.TracesLost, "") }

func endpoint(url string) core.Secret { return core.NewSecret(url) }

// span makes a root span with a child.
func (r *otlpRig) span(from coretelemetry.Parent, trusted bool) {
	ctx, root := r.Tracer().Start(context.Background(), from, trusted, coretelemetry.Server, "POST", "/llm", time.Now())
	_, child := coretelemetry.Child(ctx, coretelemetry.Client, "chat", "model")
	child.FailCode(fault.JobLate)
	child.End()
	root.Int(coretelemetry.HTTPStatus, 200)
	root.End()
}

// TestNamesOfAnyBytes: names that clients chose, cut or of bytes that are no text, take no other span with them.
func TestNamesOfAnyBytes(t *testing.T) {
	c := collector.Start(t)
	r := startOTLP(t, telemetry.OTLPOptions{Endpoint: endpoint(c.URL), Ratio: 1})
	for _, name := range []string{strings.Repeat("a", 127) + "é", "a\xffb", strings.Repeat("é", 1000)} {
		_, span := r.Tracer().Start(context.Background(), coretelemetry.Parent{}, false, coretelemetry.Server,
			"chat", name, time.Now())
		span.Text(coretelemetry.GenAIRequestModel, name)
		span.End()
	}
	r.span(coretelemetry.Parent{}, false)
	r.stop()
	if sent, lost := r.Counts(); len(c.Spans()) != 5 || sent != 5 || lost != 0 {
		t.Errorf("%d arrived, %d sent, %d lost", len(c.Spans()), sent, lost)
	}
}

func TestSpansArrive(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	c := collector.Start(t)
	r := startOTLP(t, telemetry.OTLPOptions{Endpoint: endpoint(c.URL), Ratio: 1})
	r.span(coretelemetry.Parent{}, false)
	r.stop() // sends what is left
	spans := c.Spans()
	if len(spans) != 2 {
		t.Fatalf("%+v", spans)
	}
	child, root := spans[0], spans[1]
	if child.Parent != root.ID || child.Trace != root.Trace || root.Parent != "" {
		t.Errorf("%+v is not below %+v", child, root)
	}
	if root.Name != "POST /llm" || child.Name != "chat model" || child.Failed != "JobLate" ||
		child.Attributes["error.type"] != "JobLate" || root.Attributes["http.response.status_code"] != "200" ||
		root.Attributes["service.name"] != "tutti" || root.Attributes["deployment.environment.name"] != "test" ||
		root.Node != "node" || root.Kind != "SPAN_KIND_SERVER" || child.Kind != "SPAN_KIND_CLIENT" {
		t.Errorf("%+v\n%+v", root, child)
	}
	if sent, lost := r.Counts(); sent != 2 || lost != 0 {
		t.Errorf("%d sent, %d lost", sent, lost)
	}
}

// A stranger's flag, and a trace ID that a sampler by ID would take, decide nothing; a trusted sender's flag does.
func TestWhoDecides(t *testing.T) {
	gateway := core.Address{1}
	trusted := coretelemetry.Trust{Gateways: []core.Address{gateway}}
	const on, off = "00-00000000000000000000000000000001-b7ad6b7169203331-01",
		"00-00000000000000000000000000000001-b7ad6b7169203331-00"
	for name, tt := range map[string]struct {
		ratio   float64
		trust   coretelemetry.Trust
		parent  string
		account core.Address
		want    bool
	}{
		"stranger cannot force":        {parent: on},
		"stranger cannot hide":         {ratio: 1, parent: off, want: true},
		"other gateway cannot force":   {parent: on, trust: trusted, account: core.Address{2}},
		"no account is not trusted":    {parent: on, trust: coretelemetry.Trust{Gateways: []core.Address{{}}}},
		"trusted gateway forces":       {parent: on, trust: trusted, account: gateway, want: true},
		"trusted gateway leaves out":   {ratio: 1, parent: off, trust: trusted, account: gateway},
		"all are trusted":              {parent: on, trust: coretelemetry.Trust{All: true}, want: true},
		"nothing without a parent":     {},
		"everything without a parent":  {ratio: 1, want: true},
		"a parent that cannot be read": {parent: on + "x", trust: coretelemetry.Trust{All: true}},
	} {
		t.Run(name, func(t *testing.T) {
			c := collector.Start(t)
			r := startOTLP(t, telemetry.OTLPOptions{Endpoint: endpoint(c.URL), Ratio: tt.ratio, Trust: tt.trust})
			r.span(coretelemetry.ParseParent(tt.parent, ""), r.Tracer().TrustsGateway(tt.account))
			r.stop()
			if got := len(c.Spans()) == 2; got != tt.want {
				t.Errorf("recorded: %v", got)
			}
			if tt.want && tt.parent != "" && !strings.Contains(tt.parent, c.Spans()[1].Trace) {
				t.Errorf("another trace: %s", c.Spans()[1].Trace)
			}
		})
	}
}

// Over many requests with every flag a stranger's share is the operator's.
func TestRatioHoldsAgainstStrangers(t *testing.T) {
	c := collector.Start(t)
	r := startOTLP(t, telemetry.OTLPOptions{Endpoint: endpoint(c.URL), Ratio: 0.25})
	const n = 2000
	recorded := 0
	for i := range n {
		parent := coretelemetry.ParseParent(fmt.Sprintf("00-%032x-b7ad6b7169203331-01", i+1), "")
		_, span := r.Tracer().Start(context.Background(), parent, false, coretelemetry.Server, "x", "", time.Now())
		if span.On() {
			recorded++
		}
	}
	// Six standard deviations.
	if d := math.Abs(float64(recorded) - n/4); d > 6*math.Sqrt(n*0.25*0.75) {
		t.Errorf("%d of %d", recorded, n)
	}
}

// A collector that hangs delays nothing and takes no memory but the queue's; when it is back the condition clears.
func TestCollectorHangs(t *testing.T) {
	c := collector.Start(t)
	c.Hang(true)
	r := startOTLP(t, telemetry.OTLPOptions{Endpoint: endpoint(c.URL), Ratio: 1, Timeout: 200 * time.Millisecond})
	const n = 50_000
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for range n {
		r.span(coretelemetry.Parent{}, false)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("%d bytes for a queue of 2048", grown)
	}
	wait(t, "the condition", func() bool { return strings.Contains(r.condition(), "collector") })
	if _, lost := r.Counts(); lost < 2*n-4096 {
		t.Errorf("%d of %d lost", lost, 2*n)
	}
	c.Hang(false)
	wait(t, "spans", func() bool {
		r.span(coretelemetry.Parent{}, false)
		return len(c.Spans()) > 0
	})
	wait(t, "the end of the condition", func() bool { return r.condition() == "" })
}

// What a collector answers is in no log and no condition.
func TestCollectorRefuses(t *testing.T) {
	c := collector.Start(t)
	c.Answer(http.StatusUnauthorized)
	r := startOTLP(t, telemetry.OTLPOptions{Endpoint: endpoint(c.URL), Ratio: 1})
	r.span(coretelemetry.Parent{}, false)
	wait(t, "the condition", func() bool { return r.condition() != "" })
	r.stop()
	if !strings.Contains(r.condition(), "refuses spans") || strings.Contains(r.log.String(), "body") {
		t.Errorf("%s\n%s", r.condition(), r.log)
	}
}

func TestCollectorIsAway(t *testing.T) {
	r := startOTLP(t, telemetry.OTLPOptions{Endpoint: endpoint("http://127.0.0.1:1"), Ratio: 1})
	r.span(coretelemetry.Parent{}, false)
	wait(t, "the condition", func() bool { return strings.Contains(r.condition(), "cannot be reached") })
}

// Names and values that clients choose are bounded.
func TestBoundsOfSpans(t *testing.T) {
	c := collector.Start(t)
	r := startOTLP(t, telemetry.OTLPOptions{Endpoint: endpoint(c.URL), Ratio: 1})
	long := strings.Repeat("x", 1<<20)
	ctx, root := r.Tracer().Start(context.Background(), coretelemetry.Parent{}, false, coretelemetry.Server, "POST",
		"/llm", time.Now())
	_, child := coretelemetry.Child(ctx, coretelemetry.Client, "chat", long)
	for i := range 1000 {
		child.Text(coretelemetry.Key(fmt.Sprint("k", i)), long)
	}
	child.End()
	root.End()
	r.stop()
	if n := len(c.Bytes()); n == 0 || n > 64<<10 {
		t.Errorf("%d bytes", n)
	}
}
