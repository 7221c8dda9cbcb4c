package orchestrator_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/livevideo"
	"github.com/tuttinode/tutti/server/trickle"
	"github.com/tuttinode/tutti/test/coretest"
)

// longWorker gives slots for work that goes on.
type longWorker struct{ inference.Worker }

func (w longWorker) Reserve(ctx context.Context, m inference.Model, party string) (inference.Slot, error) {
	s, err := w.Worker.Reserve(ctx, m, party)
	if err != nil {
		return nil, err
	}
	return longSlot{s}, nil
}

type longSlot struct{ inference.Slot }

func (longSlot) Lost() <-chan struct{}     { return nil }
func (longSlot) Recheck()                  {}
func (longSlot) AwaitIdle(context.Context) {}

var noop = inference.Model{Capability: capability.LiveVideoToVideo, ID: "noop"}

// meter is a payment that the test ends.
type meter struct {
	over            chan struct{}
	closed, dropped atomic.Int32
}

func (m *meter) Open(r *http.Request, _ string, _ inference.Model) (livevideo.Meter, error) {
	if r.Header.Get("requestID") == "unpaid" {
		return nil, fault.New(fault.InsufficientBalance, "open", "")
	}
	return m, nil
}
func (m *meter) Unpaid() <-chan struct{} { return m.over }
func (m *meter) Close()                  { m.closed.Add(1) }
func (m *meter) Drop()                   { m.dropped.Add(1) }

// liveNode is a node with a model of live video.
type liveNode struct {
	*aiNode
	hub  *trickle.Hub
	live *livevideo.Server
	// sent is what the runner got last.
	sent  json.RawMessage
	meter *meter
}

func newLiveNode(t *testing.T) *liveNode {
	t.Helper()
	n := &liveNode{hub: trickle.NewHub(trickle.Limits{}, time.Now), meter: &meter{over: make(chan struct{})}}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	models := coretest.NewWorker(inference.ModelState{Model: noop, State: inference.Ready, Capacity: 1})
	n.aiNode = newAINode(t, func(s *setup) {
		s.plain = true
		s.rules.Worker = models
		worker := longWorker{models}
		n.live = livevideo.New(livevideo.Options{
			Hub: n.hub, ServiceURI: "http://orch.test:8935", RunnerHost: "orch-inside.test:8935",
			Workers: []inference.Worker{worker}, Payments: n.meter, Now: time.Now, Rand: rand.Reader, Log: quiet(),
		})
		s.listener.LiveVideo, s.listener.Channels = n.live, n.hub
		go func() { done <- n.live.Run(ctx, func() {}) }()
	})
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil || n.live.Sessions() != 0 {
			t.Error(err, n.live.Sessions(), "sessions are left")
		}
	})
	n.worker = models
	n.worker.Answer = func(_ context.Context, job *inference.Job) (*inference.Reply, error) {
		n.sent = job.Body
		return &inference.Reply{
			Status: 200, ContentType: "application/json", Body: io.NopCloser(strings.NewReader("{}")),
		}, nil
	}
	return n
}

// begin asks for a session as a gateway of the existing network does.
func (n *liveNode) begin(body string, headers ...string) (*http.Response, string) {
	n.t.Helper()
	r := n.job(noop, "application/json", strings.NewReader(body))
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		n.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		n.t.Fatal(err)
	}
	return res, string(text)
}

type liveAnswer struct {
	Control, Events, Publish, Subscribe, ID string
}

func (a *liveAnswer) UnmarshalJSON(data []byte) error {
	var fields map[string]string
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*a = liveAnswer{fields["control_url"], fields["events_url"], fields["publish_url"], fields["subscribe_url"],
		fields["manifest_id"]}
	if len(fields) != reflect.TypeOf(*a).NumField() {
		return errors.New("other fields")
	}
	return nil
}

// The runner gets the gateway's input as its input, by the address that it knows the node by.
func TestLiveVideoRequest(t *testing.T) {
	n := newLiveNode(t)
	res, text := n.begin(`{"model_id":"noop","params":{"prompt":"a cat"},"stream_id":"s","publish_url":""}`,
		"requestID", "older", "streamID", "overruled")
	var a liveAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil || res.StatusCode != 200 || len(a.ID) != 32 {
		t.Fatal(res.Status, text, err)
	}
	in, inside := "http://orch.test:8935/ai/trickle/"+a.ID, "http://orch-inside.test:8935/ai/trickle/"+a.ID
	if (a != liveAnswer{in + "-control", in + "-events", in, in + "-out", a.ID}) {
		t.Errorf("%+v", a)
	}
	var got, want any
	_ = json.Unmarshal(n.sent, &got)
	_ = json.Unmarshal(fmt.Appendf(nil, `{"subscribe_url":%q,"publish_url":%q,"control_url":%q,"events_url":%q,
		"params":{"prompt":"a cat"},"model_id":"noop","gateway_request_id":"older","manifest_id":%q,"stream_id":"s"}`,
		inside, inside+"-out", inside+"-control", inside+"-events", a.ID), &want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for suffix, mime := range map[string]string{"": "video/MP2T", "-out": "video/MP2T", "-control": "application/json",
		"-events": "application/json"} {
		if c := n.hub.Channel(a.ID + suffix); c == nil || c.MIME() != mime {
			t.Error(suffix, c)
		}
	}
	if res, text := n.begin(`{"model_id":"noop"}`); res.StatusCode != 503 || text != "insufficient capacity\n" {
		t.Error(res.Status, text)
	}
	close(n.meter.over)
	eventually(t, func() bool { return n.hub.Len() == 0 && n.live.Sessions() == 0 })
	n.free()
}

// A session that does not begin leaves no channel and no slot, and costs nothing where its runner did not get it.
func TestLiveVideoRefusals(t *testing.T) {
	n := newLiveNode(t)
	check := func(what, body string, status int, want string, headers ...string) {
		t.Helper()
		res, text := n.begin(body, headers...)
		if res.StatusCode != status || text != want+"\n" {
			t.Errorf("%s: %s %q", what, res.Status, text)
		}
		if n.hub.Len() != 0 || n.worker.InUse() != 0 || n.live.Sessions() != 0 {
			t.Errorf("%s: %d channels, %d slots, %d sessions", what, n.hub.Len(), n.worker.InUse(), n.live.Sessions())
		}
	}
	check("no model", `{}`, 400, "model_id is required")
	check("too long", `{"model_id":"`+strings.Repeat("x", 1<<20)+`"}`, 400, "http: request body too large")
	check("unpaid", `{"model_id":"noop"}`, 400, "Insufficient balance", "requestID", "unpaid")
	answer := n.worker.Answer
	n.says(422, "application/json", `{"detail":{"msg":"no such prompt"}}`)
	check("the runner refuses", `{"model_id":"noop"}`, 500,
		"live-video-to-video container returned 422: no such prompt")
	if n.meter.closed.Load() != 1 || n.meter.dropped.Load() != 0 {
		t.Error("what the runner refused is free")
	}
	n.worker.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
		return nil, fault.New(fault.RunnerUnreachable, "x", "connection refused")
	}
	check("no runner", `{"model_id":"noop"}`, 500, "live-video-to-video container returned 500: "+
		fault.Wire(fault.New(fault.RunnerUnreachable, "x", "connection refused")))
	if n.meter.closed.Load() != 1 || n.meter.dropped.Load() != 1 {
		t.Error("what the runner did not get is charged")
	}
	n.worker.Answer = answer
	check("busy", `{"model_id":"other"}`, 503, "insufficient capacity")
}

func readRecording(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("../../test/vectors/live/" + name)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
