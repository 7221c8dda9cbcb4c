package telemetry

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/telemetry"
)

const (
	// maxSpans bounds the spans that wait for the collector, maxSpanBatch those of one request.
	maxSpans, maxSpanBatch = 2048, 256
	// spanBatchFor is how long spans wait for others to share a request with.
	spanBatchFor = time.Second
	// maxSpanValue and maxSpanAttributes bound what a span holds: models' names come from clients.
	maxSpanValue, maxSpanAttributes = 256, 64
)

// OTLPOptions are the settings of an OTLP. Endpoint, Board and Log must be set.
type OTLPOptions struct {
	// Endpoint is the collector's address; without a path spans go to /v1/traces. Headers, certificates and compression
	// are the SDK's environment variables, OTEL_EXPORTER_OTLP_….
	Endpoint core.Secret
	// Ratio is the share of traces that are recorded, from 0 to 1.
	Ratio float64
	// Trust is whose decision to record is honored in place of Ratio.
	Trust telemetry.Trust
	// Node and Version identify this node in every span. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence.
	Node, Version string
	// Timeout bounds one request to the collector, default 10 s. CheckEvery is how often the condition is examined,
	// default 30 s. Flush is how long the end waits for the collector, default 2 s.
	Timeout, CheckEvery, Flush time.Duration

	Board *health.Board
	Log   *slog.Logger
}

func (o *OTLPOptions) complete() {
	orElse(&o.Timeout, 10*time.Second)
	orElse(&o.CheckEvery, 30*time.Second)
	orElse(&o.Flush, 2*time.Second)
}

// OTLP sends spans. It is a lifecycle component.
type OTLP struct {
	opt      OTLPOptions
	queue    chan sdk.ReadOnlySpan
	provider *sdk.TracerProvider
	tracer   *telemetry.Tracer
	losses   *losses

	sent, lost atomic.Uint64
}

// NewOTLP makes an OTLP. It connects with the first span.
func NewOTLP(ctx context.Context, o OTLPOptions) (*OTLP, error) {
	o.complete()
	x := &OTLP{opt: o, queue: make(chan sdk.ReadOnlySpan, maxSpans),
		losses: newLosses(o.Board, health.Key{Code: fault.TracesLost})}
	// Attributes of the environment come last and win.
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "tutti"),
		attribute.String("service.version", o.Version), attribute.String("service.instance.id", o.Node)),
		resource.WithFromEnv())
	if err != nil {
		return nil, &fault.Fault{Code: fault.BadOption, Op: "open the export of traces",
			Detail: "OTEL_RESOURCE_ATTRIBUTES cannot be read", Err: err}
	}
	limits := sdk.SpanLimits{AttributeValueLengthLimit: maxSpanValue, AttributeCountLimit: maxSpanAttributes,
		EventCountLimit: 1, LinkCountLimit: 1, AttributePerEventCountLimit: 1, AttributePerLinkCountLimit: 1}
	draw := func() bool { return o.Ratio >= 1 || rand.Float64() < o.Ratio }
	x.provider = sdk.NewTracerProvider(sdk.WithResource(about), sdk.WithRawSpanLimits(limits),
		sdk.WithSampler(sdk.ParentBased(sampler(draw))), sdk.WithSpanProcessor(spanQueue{x}))
	x.tracer = telemetry.NewTracer(x.provider, draw, o.Trust)
	return x, nil
}

// sampler decides on traces that begin at this node.
type sampler func() bool

// ShouldSample draws.
func (s sampler) ShouldSample(sdk.SamplingParameters) sdk.SamplingResult {
	if s() {
		return sdk.SamplingResult{Decision: sdk.RecordAndSample}
	}
	return sdk.SamplingResult{Decision: sdk.Drop}
}

// Description names the sampler.
func (sampler) Description() string { return "ratio" }

// Tracer makes the node's spans.
func (x *OTLP) Tracer() *telemetry.Tracer { return x.tracer }

// Counts returns how many spans the collector took, and how many were lost.
func (x *OTLP) Counts() (sent, lost uint64) { return x.sent.Load(), x.lost.Load() }

// spanQueue takes spans that ended. It is the SDK's processor.
type spanQueue struct{ x *OTLP }

// OnStart does nothing.
func (spanQueue) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd queues a span, or drops it where the queue is full.
func (q spanQueue) OnEnd(s sdk.ReadOnlySpan) {
	select {
	case q.x.queue <- s:
	default:
		q.x.drop(1, otlpFull)
	}
}

// Shutdown does nothing: Run ends with its context.
func (spanQueue) Shutdown(context.Context) error { return nil }

// ForceFlush does nothing.
func (spanQueue) ForceFlush(context.Context) error { return nil }

func (x *OTLP) drop(n int, reason string) {
	x.lost.Add(uint64(n))
	x.losses.Failed(reason)
}

// Name names the component.
func (x *OTLP) Name() string { return "traces" }

// Run sends spans until ctx ends, then gives what is left a moment to be sent.
func (x *OTLP) Run(ctx context.Context, ready func()) error {
	client, err := otlptracehttp.New(context.WithoutCancel(ctx), otlptracehttp.WithEndpointURL(x.opt.Endpoint.Reveal()),
		otlptracehttp.WithTimeout(x.opt.Timeout), otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}))
	if err != nil {
		return &fault.Fault{Code: fault.BadOption, Op: "open the export of traces",
			Detail: "the collector of -otlpEndpoint cannot be used", Err: err}
	}
	check := time.NewTicker(x.opt.CheckEvery)
	defer check.Stop()
	flush := time.NewTicker(spanBatchFor)
	defer flush.Stop()
	batch := make([]sdk.ReadOnlySpan, 0, maxSpanBatch)
	ready()
	for {
		select {
		case s := <-x.queue:
			if batch = append(batch, s); len(batch) == maxSpanBatch {
				batch = x.export(ctx, client, batch)
			}
		case <-flush.C:
			batch = x.export(ctx, client, batch)
		case <-check.C:
			x.losses.Check()
		case <-ctx.Done():
			x.finish(ctx, client, batch)
			return nil
		}
	}
}

// finish sends what is left within the time for it.
func (x *OTLP) finish(ctx context.Context, client sdk.SpanExporter, batch []sdk.ReadOnlySpan) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), x.opt.Flush)
	defer cancel()
	for end.Err() == nil {
		select {
		case s := <-x.queue:
			if batch = append(batch, s); len(batch) < maxSpanBatch {
				continue
			}
		default:
			if len(batch) == 0 {
				_ = client.Shutdown(end)
				return
			}
		}
		batch = x.export(end, client, batch)
	}
	x.opt.Log.Warn("traces were not sent before the end", "spans", len(batch)+len(x.queue))
	_ = client.Shutdown(end)
}

// export sends a batch and returns it empty. A batch that is not taken is dropped: spans of a collector that is down
// are not worth memory.
func (x *OTLP) export(ctx context.Context, client sdk.SpanExporter, batch []sdk.ReadOnlySpan) []sdk.ReadOnlySpan {
	if len(batch) == 0 {
		return batch
	}
	within, cancel := context.WithTimeout(ctx, x.opt.Timeout)
	defer cancel()
	if err := client.ExportSpans(within, batch); err != nil {
		if ctx.Err() != nil {
			return batch // the node stops: finish tries once more
		}
		x.drop(len(batch), otlpCause(err))
		clear(batch)
		return batch[:0]
	}
	x.sent.Add(uint64(len(batch)))
	x.losses.Delivered()
	clear(batch)
	return batch[:0]
}
