package metrics_test

import (
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/metrics"
)

var llama = inference.Model{Capability: capability.LLM, ID: "m/llama"}

func figures() *inference.JobStats {
	return &inference.JobStats{
		Model: llama, Operation: inference.Chat, Key: "team", Orchestrator: "https://o:8935", Status: http.StatusOK,
		Stream: true, Tries: 2, Queue: 20 * time.Millisecond, FirstByte: 200 * time.Millisecond,
		Total: 1200 * time.Millisecond,
		Own:   200 * time.Microsecond, Events: 101, Units: 256,
		Usage: inference.Usage{Prompt: 20, Completion: 100, Cached: 16, Estimated: true},
		Price: big.NewRat(3, 2),
	}
}

func TestInferenceValues(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id", Version: "1.0"})
	r := m.Inference(metrics.Gateway)
	if m.Inference(metrics.Gateway) != r {
		t.Error("the same role has two recorders")
	}
	r.JobDone(figures())
	bad := figures()
	bad.Status, bad.Code, bad.Usage, bad.FirstByte, bad.Orchestrator = 503, fault.ModelBusy, inference.Usage{}, 0, ""
	r.JobDone(bad)
	r.ModelChanged(&inference.ModelState{Model: llama, State: inference.Ready})
	text := scrape(t, m)
	const base, flow = `model_name="m/llama",node_id="id",node_type="bctr"`,
		`model_name="m/llama",node_id="id",node_type="bctr",orchestrator_uri="https://o:8935",pipeline="llm"`
	for _, want := range []string{
		`livepeer_ai_models_requested{` + base + `,pipeline="llm"} 1`,
		`livepeer_ai_request_errors{error_code="ModelBusy",` + base + `,pipeline="llm",sender=""} 1`,
		`livepeer_ai_request_price{` + base + `,pipeline="llm"} 1.5`,
		`livepeer_ai_request_latency_score{` + flow + `} 0.01`,
		`tutti_ai_requests_total{error_code="",key="team",` + base + `,pipeline="llm",status="200"} 1`,
		`tutti_ai_requests_total{error_code="ModelBusy",key="team",` + base + `,pipeline="llm",status="503"} 1`,
		`tutti_ai_tokens_total{key="team",kind="in",` + base + `,pipeline="llm"} 20`,
		`tutti_ai_tokens_total{key="team",kind="out",` + base + `,pipeline="llm"} 100`,
		`tutti_ai_tokens_total{key="team",kind="cached",` + base + `,pipeline="llm"} 16`,
		`tutti_ai_usage_estimated_total{key="team",` + base + `,pipeline="llm"} 1`,
		`tutti_ai_units_total{key="team",` + base + `,pipeline="llm"} 512`,
		`tutti_ai_retries_total{` + flow + `} 1`,
		`tutti_ai_first_token_seconds_bucket{` + flow + `,le="0.25"} 1`,
		`tutti_ai_inter_token_seconds_sum{` + flow + `} 0.01`,
		`tutti_ai_queue_seconds_sum{` + flow + `} 0.02`,
		`tutti_ai_overhead_seconds_bucket{` + flow + `,le="0.00025"} 1`,
		`tutti_ai_request_seconds_count{` + flow + `} 1`,
		`tutti_ai_model_changes_total{code="",` + base + `,pipeline="llm",state="ready"} 1`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in:\n%s", want, text)
		}
	}
}

func TestClientsDoNotMakeSeries(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	r := m.Inference(metrics.Gateway)
	for i := range 1000 {
		r.JobDone(&inference.JobStats{Model: inference.Model{Capability: capability.LLM, ID: fmt.Sprint("made up ", i)},
			Status: 404, Code: fault.ModelUnknown})
	}
	text := scrape(t, m)
	if strings.Contains(text, "made up") {
		t.Error("a model that is not served has a series")
	}
	if !strings.Contains(text, `livepeer_ai_request_errors{error_code="ModelUnknown",model_name="other",node_id="id",`+
		`node_type="bctr",pipeline="llm",sender=""} 1000`) {
		t.Errorf("a model that is not served is not counted:\n%s", text)
	}
}

func TestInferenceLabelsAreBounded(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	r := m.Inference(metrics.Gateway)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 1000 {
				f := figures()
				f.Model.ID, f.Key, f.Orchestrator = fmt.Sprint("m", i), fmt.Sprint("k", i, w), fmt.Sprint("https://o", i)
				r.JobDone(f)
			}
		})
	}
	wg.Wait()
	text := scrape(t, m)
	if n := strings.Count(text, "tutti_ai_queue_seconds_count{"); n > 501 {
		t.Errorf("%d flows", n)
	}
	if n := strings.Count(text, "tutti_ai_units_total{"); n > 2001 {
		t.Errorf("%d accounts", n)
	}
	if !strings.Contains(text, `key="other"`) {
		t.Error("what is over the bound is not counted")
	}
}

func TestRunnersTellAnything(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	f := figures()
	f.Usage, f.Units, f.Events, f.Total = inference.Usage{Prompt: -5, Completion: -1, Cached: -1}, -3, 1, 0
	f.Key = "\xff\xfe"
	m.Inference(metrics.Orchestrator).JobDone(f) // a counter panics on negative numbers
	if text := scrape(t, m); !strings.Contains(text, "tutti_ai_tokens_total") {
		t.Error("nothing was counted")
	}
}

func TestWatchModels(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	source := func() []inference.ModelState {
		ready := inference.ModelState{Model: llama, State: inference.Ready, Capacity: 4, InUse: 1, Waiting: 2}
		return []inference.ModelState{ready, ready, {Model: inference.Model{Capability: capability.TextToImage, ID: "sd"},
			State: inference.Failed, InUse: 3}}
	}
	if err := m.WatchModels(metrics.Orchestrator, "https://o:8935", source); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	for _, want := range []string{
		`livepeer_ai_container_in_use{model_name="m/llama",node_id="id",node_type="orch",orchestrator_uri="https://o:8935",` +
			`pipeline="llm"} 1`,
		`livepeer_ai_container_idle{model_name="m/llama",node_id="id",node_type="orch",orchestrator_uri="https://o:8935",` +
			`pipeline="llm"} 3`,
		`livepeer_ai_container_idle{model_name="sd",node_id="id",node_type="orch",orchestrator_uri="https://o:8935",` +
			`pipeline="text-to-image"} 0`,
		`tutti_ai_waiting{model_name="m/llama",node_id="id",node_type="orch",pipeline="llm"} 2`,
		`tutti_ai_model_ready{model_name="m/llama",node_id="id",node_type="orch",pipeline="llm"} 1`,
		`tutti_ai_model_ready{model_name="sd",node_id="id",node_type="orch",pipeline="text-to-image"} 0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in:\n%s", want, text)
		}
	}
	if err := m.WatchModels(metrics.Orchestrator, "https://o:8935", source); err == nil {
		t.Error("watching twice is not refused")
	}
}

func TestInferenceNamesFollowTheRules(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	m.Inference(metrics.Gateway).JobDone(figures())
	problems, err := promlint.New(strings.NewReader(scrape(t, m))).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		if strings.HasPrefix(p.Metric, "tutti_") {
			t.Errorf("%s: %s", p.Metric, p.Text)
		}
	}
}

func BenchmarkJobDone(b *testing.B) {
	r := metrics.New(metrics.Options{NodeID: "id"}).Inference(metrics.Gateway)
	f := figures()
	b.ReportAllocs()
	for b.Loop() {
		r.JobDone(f)
	}
}
