package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/test/collector"
	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pipelines"
)

// tracedNodes are a gateway, an orchestrator, a remote AI worker and a runner, with a collector.
type tracedNodes struct {
	collector    *collector.Server
	runner       *pipelines.Runner
	gateway      *harness.Process
	worker       *harness.Process
	gw, gwAdmin  string
	orch, secret string
}

func startTraced(t *testing.T, gatewayArgs ...string) *tracedNodes {
	t.Helper()
	n := &tracedNodes{collector: collector.Start(t), runner: pipelines.Start(t), gwAdmin: harness.Address(t),
		orch: harness.Address(t), secret: "hunter2-hunter2"}
	traces := []string{"-otlpEndpoint", n.collector.URL, "-orchSecret", n.secret, "-v", "4"}
	orchestrator := harness.Start(t, binary, append(traces, "-orchestrator", "-serviceAddr", n.orch, "-httpAddr", n.orch,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir())...)
	orchestrator.WaitHTTP("https://" + n.orch + "/healthz")
	models := modelsFile(t, []entry{llmEntry(pipelines.Model("llm"), n.runner.URL("llm"))})
	n.worker = harness.Start(t, binary, append(traces, "-aiWorker", "-orchAddr", n.orch, "-aiModels", models,
		"-aiAllowUnverified", "-cliAddr", harness.Address(t), "-dataDir", t.TempDir())...)
	awaitModel(t, orchestrator, n.orch, pipelines.Model("llm"), "ready")
	n.gateway, n.gw = gatewayAt(t, n.orch, n.gwAdmin, append([]string{"-otlpEndpoint", n.collector.URL, "-monitor"},
		gatewayArgs...)...)
	return n
}

const (
	secretPrompt = "the-prompt-that-no-span-has"
	clientTrace  = "0af7651916cd43dd8448eb211c80319c"
	clientSpan   = "b7ad6b7169203331"
)

// chat sends a chat with a client's traceparent.
func (n *tracedNodes) chat(t *testing.T, stream bool) *http.Response {
	t.Helper()
	body := fmt.Sprintf(`{"model":%q,"max_tokens":5,"stream":%v,"messages":[{"role":"user","content":%q}]}`,
		pipelines.Model("llm"), stream, secretPrompt)
	res, _ := sent(t, n.gw+"/v1/chat/completions", "application/json", []byte(body), "traceparent",
		"00-"+clientTrace+"-"+clientSpan+"-00", "tracestate", "app=1", "X-Request-Id", "r-1")
	return res
}

// spans waits until a trace has n spans.
func (n *tracedNodes) spans(t *testing.T, trace string, count int) []collector.Span {
	t.Helper()
	var of []collector.Span
	n.gateway.Wait(fmt.Sprint(count, " spans"), 20*time.Second, func() bool {
		of = nil
		for _, s := range n.collector.Spans() {
			if s.Trace == trace {
				of = append(of, s)
			}
		}
		return len(of) >= count
	})
	return of
}

// A chat is one trace from the client's span to the runner, and nothing of what is said is in it.
func TestTraceOfAChat(t *testing.T) {
	t.Parallel()
	n := startTraced(t)
	if res := n.chat(t, true); res.StatusCode != http.StatusOK {
		t.Fatalf("%d\n%s", res.StatusCode, n.gateway.Log())
	}
	got := n.spans(t, clientTrace, 5)
	if len(got) != 5 {
		t.Fatalf("%d spans: %+v", len(got), got)
	}
	// The way down: each span is the parent of the next.
	model := pipelines.Model("llm")
	parent := clientSpan
	for _, want := range []struct{ name, kind, key, value string }{
		{"POST /v1/chat/completions", "SERVER", "gen_ai.usage.output_tokens", "5"},
		{"chat " + model, "CLIENT", "tutti.orchestrator", "https://" + n.orch},
		{"POST /llm", "SERVER", "gen_ai.usage.output_tokens", "5"},
		{"chat " + model, "SERVER", "gen_ai.provider.name", "livepeer"},
		{"chat " + model, "CLIENT", "gen_ai.provider.name", "runner"},
	} {
		var found *collector.Span
		for i := range got {
			if got[i].Parent == parent {
				found = &got[i]
			}
		}
		if found == nil {
			t.Fatalf("no %q below %s among %+v", want.name, parent, got)
		}
		if found.Name != want.name || found.Kind != "SPAN_KIND_"+want.kind || found.Failed != "" ||
			found.Attributes[want.key] != want.value || found.Attributes["gen_ai.request.model"] != model ||
			found.Attributes["gen_ai.operation.name"] != "chat" {
			t.Errorf("want %v, got %+v", want, found)
		}
		parent = found.ID
	}
	last, ok := n.runner.Last("llm")
	if want := "00-" + clientTrace + "-" + parent + "-01"; !ok || last.Header.Get("Traceparent") != want ||
		last.Header.Get("Tracestate") != "app=1" {
		t.Errorf("the runner got %v, want %s", last.Header, want)
	}
	answer := strings.TrimSpace(pipelines.Words(5))
	for _, secret := range []string{secretPrompt, answer, n.secret} {
		if bytes.Contains(n.collector.Bytes(), []byte(secret)) {
			t.Errorf("spans have %q", secret)
		}
	}
	n.checkExemplars(t)
}

// checkExemplars looks for the trace in the histograms, in the form that has exemplars and in the one that has none.
func (n *tracedNodes) checkExemplars(t *testing.T) {
	t.Helper()
	metrics := func(accept string) string {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+n.gwAdmin+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", accept)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var b bytes.Buffer
		if _, err := b.ReadFrom(res.Body); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	open := metrics("application/openmetrics-text; version=1.0.0")
	if !strings.Contains(open, `# {trace_id="`+clientTrace+`"}`) ||
		!strings.Contains(open, "tutti_ai_request_seconds_bucket") {
		t.Errorf("no exemplar in\n%s", open)
	}
	plain := metrics("text/plain")
	if strings.Contains(plain, clientTrace) || !strings.Contains(plain, `tutti_trace_spans_total{`) {
		t.Errorf("plain metrics:\n%s", plain)
	}
}

// Requests go on while the collector hangs, and the operator learns of it.
func TestCollectorThatHangs(t *testing.T) {
	t.Parallel()
	n := startTraced(t)
	n.collector.Hang(true)
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		res, err := post(ctx, n.gw+"/v1/chat/completions", "", chatRequest(pipelines.Model("llm"), 5, false))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		cancel()
		if res.StatusCode != http.StatusOK {
			t.Fatal(res.StatusCode)
		}
	}
	n.gateway.Wait("the condition", 40*time.Second, func() bool { return strings.Contains(n.gateway.Log(), "TracesLost") })
	if strings.Contains(n.gateway.Log(), secretPrompt) {
		t.Error("the log has the prompt")
	}
}

// paidChat is a chain, an orchestrator with a model that has a price, and a gateway with money.
func paidChat(t *testing.T, args ...string) (orchestrator, gateway *member, model string) {
	t.Helper()
	cli, err := harness.BuildTool(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	const l1 = 250 * time.Millisecond
	chain := devnet.Start(t, devnet.Options{BlockTime: l1, L1BlockTime: l1, RoundLength: 900,
		Args: []string{"-initializeRounds"}})
	model = pipelines.Model("llm")
	offer := llmEntry(model, pipelines.Start(t).URL("llm"))
	offer["price_per_unit"], offer["pixels_per_unit"] = 1_000_000_000, 1
	orchestrator = newMember(t, chain, cli, append(args, "-orchestrator", "-aiWorker", "-aiModels",
		modelsFile(t, []entry{offer}), "-aiAllowUnverified", "-pricePerUnit", "1000")...)
	orchestrator.args = append(orchestrator.args, "-serviceAddr", orchestrator.front)
	gateway = newMember(t, chain, cli, append(args, "-gateway", "-orchAddr", orchestrator.front)...)
	if err := chain.Control.FundLPT(t.Context(), common.Address(orchestrator.account), core.LPTTokens(1000)); err != nil {
		t.Fatal(err)
	}
	orchestrator.start()
	gateway.start()
	orchestrator.run("orchestrator", "activate", "--reward-cut", "10", "--fee-cut", "95", "--stake", "1000",
		"--service-uri", "https://"+orchestrator.front, "--price-per-unit", "1000")
	gateway.run("deposit", "fund", "--deposit", "1ETH", "--reserve", "2ETH")
	if _, err := chain.Control.NextRound(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	orchestrator.awaitActive()
	awaitModel(t, orchestrator.Process, orchestrator.front, model, "ready")
	return orchestrator, gateway, model
}

// A payment is a span at both ends of it, with the tickets and what they are worth.
func TestTraceOfAPayment(t *testing.T) {
	t.Parallel()
	c := collector.Start(t)
	_, gateway, model := paidChat(t, "-otlpEndpoint", c.URL)
	gateway.Wait("a paid answer", time.Minute, func() bool {
		res, err := post(t.Context(), "http://"+gateway.front+"/v1/chat/completions", "", chatRequest(model, 5, false))
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
	find := func(trace, name string) *collector.Span {
		for _, s := range c.Spans() {
			if s.Name == name && (trace == "" || s.Trace == trace) && s.Failed == "" &&
				s.Attributes["tutti.payment.tickets"] != "0" {
				return &s
			}
		}
		return nil
	}
	var paid, taken *collector.Span
	// A span is sent when it ends, which a parent does after its children.
	gateway.Wait("both spans of a payment below their requests", 30*time.Second, func() bool {
		if taken = find("", "take payment"); taken != nil {
			paid = find(taken.Trace, "pay")
		}
		if paid == nil {
			return false
		}
		names := make(map[string]string)
		for _, s := range c.Spans() {
			names[s.ID] = s.Name
		}
		return names[paid.Parent] == "chat "+model && names[taken.Parent] == "POST /llm"
	})
	value := paid.Attributes["tutti.payment.value"]
	if value == "" || value == "0" || taken.Attributes["tutti.payment.value"] != value ||
		taken.Attributes["tutti.payment.tickets"] != paid.Attributes["tutti.payment.tickets"] ||
		taken.Attributes["tutti.payment.winners"] == "" {
		t.Errorf("paid %v\ntaken %v", paid.Attributes, taken.Attributes)
	}
}

// A segment is one trace from the gateway to the remote transcoder.
func TestTraceOfASegment(t *testing.T) {
	t.Parallel()
	c, service := collector.Start(t), harness.Address(t)
	traces := []string{"-otlpEndpoint", c.URL, "-orchSecret", "hunter2"}
	orchestrator := harness.Start(t, binary, append(traces, "-orchestrator", "-serviceAddr", service, "-httpAddr", service,
		"-cliAddr", harness.Address(t), "-dataDir", t.TempDir())...)
	orchestrator.WaitHTTP("https://" + service + "/healthz")
	harness.Start(t, binary, append(traces, "-transcoder", "-orchAddr", service, "-cliAddr", harness.Address(t),
		"-dataDir", t.TempDir())...)
	node, gw := gateway(t, service, "-otlpEndpoint", c.URL)
	seg := segments(t, small(1))[0]
	node.Wait("renditions", time.Minute, func() bool {
		_, err := harness.Push(gw, "movie", "0.ts", seg.Data, seg.Duration)
		return err == nil
	})
	way := []string{"segment", "transcode", "POST /segment", "transcode", "transcode"}
	node.Wait("a trace of the segment", 20*time.Second, func() bool {
		spans := c.Spans()
		byID := make(map[string]collector.Span)
		for _, s := range spans {
			byID[s.ID] = s
		}
		for _, s := range spans {
			var up []string
			for at, ok := s, true; ok; at, ok = byID[at.Parent] {
				up = append([]string{at.Name}, up...)
			}
			if slices.Equal(up, way) {
				return s.Kind == "SPAN_KIND_SERVER" && s.Failed == ""
			}
		}
		return false
	})
	if bytes.Contains(c.Bytes(), []byte("movie")) {
		t.Error("spans have the stream's name")
	}
}
