package orchestrate_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/test/coretest"
)

var llama = inference.Model{Capability: capability.LLM, ID: "meta-llama/Meta-Llama-3.1-8B-Instruct"}

// ready is a model that takes capacity jobs at once.
func ready(capacity int) inference.ModelState {
	return inference.ModelState{Model: llama, State: inference.Ready, Warm: true, Capacity: capacity}
}

func answer(_ context.Context, job *inference.Job) (*inference.Reply, error) {
	return &inference.Reply{Status: 200, ContentType: "application/json", Length: -1, Worker: "llm_8500",
		Body: io.NopCloser(strings.NewReader(string(job.Body)))}, nil
}

// aiNode is a node with AI, and its worker.
func aiNode(t *testing.T, state inference.ModelState, change ...func(*orchestrate.Options)) (*node, *coretest.Worker) {
	t.Helper()
	w := coretest.NewWorker(state)
	w.Answer = answer
	n := newNode(t, append([]func(*orchestrate.Options){func(o *orchestrate.Options) { o.Worker = w }}, change...)...)
	t.Cleanup(func() {
		for _, v := range w.Violations() {
			t.Error(v)
		}
		if w.InUse() != 0 || w.Waiting() != 0 || n.Jobs() != 0 {
			t.Errorf("at the end %d slots are taken, %d wait, %d jobs", w.InUse(), w.Waiting(), n.Jobs())
		}
	})
	return n, w
}

// jobRequest is a job as a gateway of the existing network sends it.
func jobRequest(t *testing.T, tok *orchestrate.Token) orchestrate.JobRequest {
	t.Helper()
	body := []byte(`{"model":"` + llama.ID + `","max_tokens":100,"messages":[{"role":"user","content":"hi"}]}`)
	r, err := pipeline.Decode(capability.LLM, "", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	return orchestrate.JobRequest{
		Credentials: orchestrate.SegmentRequest{
			Manifest: llama.Manifest(), Token: tok,
			Capabilities: &capability.Capabilities{
				Bits: capability.Default().With(capability.LLM),
				Constraints: capability.Constraints{PerCapability: map[capability.ID]capability.Models{
					capability.LLM: {llama.ID: {}},
				}},
			},
		},
		Request: r, Body: body, ContentType: "application/json", ID: "job",
	}
}

// TestAdmitJobOrder has everything wrong at once and puts one thing right after
// another: each time the next complaint must come.
func TestAdmitJobOrder(t *testing.T) {
	t.Parallel()
	sig := &signatures{segment: errors.New("not the sender's")}
	pay := paying()
	refuse := error(fault.New(fault.PaymentRefused, "pay", "TicketParams expired"))
	pay.OnAdmit = func(*pm.Job) error { return refuse }
	n, w := aiNode(t, ready(0), func(o *orchestrate.Options) {
		o.Signatures, o.Payments, o.JobWait = sig, pay, time.Millisecond
	})
	tok := n.jobToken(t)
	req := paidJob(t, nil, 0)
	req.Credentials.Sender = core.Address{19: 9}
	right := req.Credentials.Capabilities
	req.Credentials.Capabilities = &capability.Capabilities{Bits: capability.Of(capability.Upscale)}
	req.Request.MaxTokens = 0
	for _, step := range []struct {
		want  fault.Code
		text  string
		right func()
	}{
		{fault.ErrSegSig, "ErrSegSig", func() { sig.segment = nil }},
		{fault.IncompatibleCapabilities, "incompatible capabilities", func() { req.Credentials.Capabilities = right }},
		{fault.MissingAuthToken, "missing auth token",
			func() { req.Credentials.Token = &orchestrate.Token{Session: "00000000", Expires: 1} }},
		{fault.InvalidAuthToken, "invalid auth token", func() { req.Credentials.Token = tok }},
		{fault.InvalidAuthToken, "invalid auth token", func() { req.Credentials.Sender = payer }}, // another gateway's
		{fault.MaxTokensMissing, "MaxTokens not specified", func() { req.Request.MaxTokens = 100 }},
		{fault.ModelWaitOver, "insufficient capacity", func() {
			w.Set(llama, func(s *inference.ModelState) { s.Capacity = 1 })
			req.Credentials.Payment = payment(1)
		}},
		{fault.PaymentRefused, "TicketParams expired", func() { refuse, req.Credentials.Payment = nil, payment(0) }},
		{fault.InsufficientBalance, "Insufficient balance", func() { req.Credentials.Payment = payment(1) }},
	} {
		_, err := n.AdmitJob(t.Context(), req)
		wantCode(t, err, step.want)
		if got := fault.Wire(err); got != step.text {
			t.Errorf("gateways get %q, want %q", got, step.text)
		}
		if w.InUse() != 0 || n.Jobs() != 0 || pay.Open() != 0 {
			t.Fatalf("%s: %d slots are taken, %d jobs, %d holds", step.want, w.InUse(), n.Jobs(), pay.Open())
		}
		step.right()
	}
	j, err := n.AdmitJob(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(pay.Work()) != 0 {
		t.Error("billed before it ran")
	}
	reply, err := j.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pay.Work(), []pm.Work{{Units: 100, Produced: -1, Worker: "llm_8500"}}; !slices.Equal(got, want) ||
		w.InUse() != 1 {
		t.Errorf("billed %+v, %d slots taken", got, w.InUse())
	}
	if got := pay.Balance(pm.Account{Sender: payer, Key: llama.Manifest()}).String(); got != "-9000" {
		t.Errorf("a ticket of 1000 less 100 units at 100 leaves %s", got)
	}
	j.Produced(42)
	reply.Body.Close()
	j.Close()
	j.Close()
	if got := pay.Produced(); !slices.Equal(got, []int64{42}) {
		t.Errorf("produced %v", got)
	}
	if got, want := w.Parties(), payer.String(); !slices.Equal(got, []string{want, want}) {
		t.Errorf("slots were asked for %q, want twice for the payer", got)
	}
}

func TestFailedJobIsNotBooked(t *testing.T) {
	t.Parallel()
	pay := paying()
	n, w := aiNode(t, ready(1), func(o *orchestrate.Options) { o.Payments, o.Signatures = pay, signatures{} })
	status := 0
	w.Answer = func(context.Context, *inference.Job) (*inference.Reply, error) {
		if status == 0 {
			return nil, fault.New(fault.RunnerBroke, "run", "it is gone")
		}
		return &inference.Reply{Status: status, Body: io.NopCloser(strings.NewReader(""))}, nil
	}
	for _, status = range []int{0, 400} {
		j, err := n.AdmitJob(t.Context(), paidJob(t, n.jobToken(t), 1))
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := j.Run(t.Context()); err == nil {
			reply.Body.Close()
		}
		j.Produced(1)
		j.Close()
	}
	if len(pay.Work()) != 0 || len(pay.Produced()) != 0 {
		t.Errorf("billed %v, produced %v", pay.Work(), pay.Produced())
	}
}

// TestJobWaits: the wait for a slot depends on the gateway and the model's state.
func TestJobWaits(t *testing.T) {
	t.Parallel()
	failed := ready(1)
	failed.State, failed.Code, failed.Reason = inference.Failed, fault.ContainerOOM, "no memory"
	loading, elsewhere := ready(0), ready(1)
	loading.State = inference.Loading
	// A worker of the existing network has slots for what it does not say that it has loaded.
	elsewhere.State, elsewhere.Warm = inference.Absent, false
	for name, tc := range map[string]struct {
		state inference.ModelState
		own   bool
		leave time.Duration
		wait  time.Duration
		want  fault.Code
	}{
		"full, existing gateway": {ready(0), false, time.Hour, 1500 * time.Millisecond, fault.ModelWaitOver},
		"full, own gateway":      {ready(0), true, time.Hour, 30 * time.Second, fault.ModelWaitOver},
		"full, gateway leaves":   {ready(0), true, time.Second, time.Second, fault.Canceled},
		"a load":                 {loading, false, 10 * time.Minute, 10 * time.Minute, fault.Canceled},
		"slots, not loaded":      {elsewhere, false, time.Hour, 1500 * time.Millisecond, fault.ModelWaitOver},
		"failed":                 {failed, false, time.Hour, 0, fault.ModelNotReady},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, _ := aiNode(t, tc.state, func(o *orchestrate.Options) { o.Now = time.Now })
				req := jobRequest(t, n.token())
				req.Own = tc.own
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				defer time.AfterFunc(tc.leave, cancel).Stop()
				start := time.Now()
				_, err := n.AdmitJob(ctx, req)
				wantCode(t, err, tc.want)
				if took := time.Since(start); took != tc.wait {
					t.Errorf("waited %s, want %s", took, tc.wait)
				}
			})
		})
	}
}

// TestLoadIsWaitedFor: a model that is on its way is no lack of capacity.
func TestLoadIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cold := ready(0)
		cold.State, cold.Warm = inference.Absent, false
		n, w := aiNode(t, cold, func(o *orchestrate.Options) { o.Now = time.Now })
		req := jobRequest(t, n.token())
		time.AfterFunc(3*time.Minute, func() {
			w.Set(llama, func(s *inference.ModelState) { s.State, s.Capacity = inference.Ready, 1 })
		})
		j, err := n.AdmitJob(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		if j.Queue != 3*time.Minute {
			t.Errorf("queued for %s", j.Queue)
		}
		j.Close()
	})
}

func TestUnknownModel(t *testing.T) {
	t.Parallel()
	n, _ := aiNode(t, ready(1))
	req := jobRequest(t, n.token())
	req.Request.Model.ID = "another"
	_, err := n.AdmitJob(t.Context(), req)
	wantCode(t, err, fault.ModelNotServed)
	req.Credentials.Capabilities.Constraints.PerCapability[capability.LLM] = capability.Models{"another": {}}
	_, err = n.AdmitJob(t.Context(), req)
	wantCode(t, err, fault.IncompatibleCapabilities)
	_, err = newNode(t).AdmitJob(t.Context(), req)
	wantCode(t, err, fault.ModelNotServed)
}

// TestModelOutOfOffer: a model that cannot be had at the moment leaves the offer,
// and a job for it gets a capacity fault, for which gateways do not penalize a node.
func TestModelOutOfOffer(t *testing.T) {
	t.Parallel()
	failed := ready(1)
	failed.State, failed.Code = inference.Failed, fault.ContainerOOM
	n, _ := aiNode(t, failed)
	if _, ok := n.Capabilities().Constraints.PerCapability[capability.LLM]; ok {
		t.Error("a model that failed is offered")
	}
	_, err := n.AdmitJob(t.Context(), jobRequest(t, n.token()))
	wantCode(t, err, fault.ModelNotReady)
	if fault.Wire(err) != "insufficient capacity" {
		t.Error(fault.Wire(err))
	}
}

func TestDrainJobs(t *testing.T) {
	t.Parallel()
	n, w := aiNode(t, ready(1))
	tok := n.token()
	running, err := n.AdmitJob(t.Context(), jobRequest(t, tok))
	if err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() {
		req := jobRequest(t, tok)
		req.Own = true
		_, err := n.AdmitJob(t.Context(), req)
		waiting <- err
	}()
	for w.Waiting() == 0 {
		<-time.After(time.Millisecond)
	}
	drained := make(chan error, 1)
	go func() { drained <- n.Drain(t.Context()) }()
	wantCode(t, <-waiting, fault.JobsDraining)
	_, err = n.AdmitJob(t.Context(), jobRequest(t, tok))
	wantCode(t, err, fault.JobsDraining)
	if fault.Wire(err) != "insufficient capacity" {
		t.Error(fault.Wire(err))
	}
	select {
	case err := <-drained:
		t.Fatalf("drained with a job in hand: %v", err)
	default:
	}
	running.Close()
	if err := <-drained; err != nil {
		t.Error(err)
	}
}

func TestOfferWithModels(t *testing.T) {
	t.Parallel()
	state := ready(4)
	state.InUse, state.RunnerVersion = 3, "0.14.1"
	state.Context, state.Since = 4096, time.Unix(1000, 0)
	state.Operations = []inference.Operation{inference.Chat, inference.Completion}
	state.Features = inference.Features{Has: inference.Tools | inference.Logprobs, Lacks: inference.Vision}
	n, w := aiNode(t, state, func(o *orchestrate.Options) {
		o.Transcoder = nil
		o.Capabilities = func() capability.Capabilities { return capability.Offer(nil, "0.9.1") }
	})
	defer w.Set(llama, func(s *inference.ModelState) { s.InUse = 0 })
	in, err := n.Offer(t.Context(), orchestrate.OfferRequest{Wanted: jobRequest(t, nil).Credentials.Capabilities})
	if err != nil {
		t.Fatal(err)
	}
	c := in.Capabilities
	if c.Bits[0] != 0x0000000204005fff || c.Version != "0.9.1" || c.Capacities[capability.LLM] != 4 ||
		c.Capacities[capability.H264] != 1 {
		t.Errorf("%+v", c)
	}
	want := capability.Model{
		Warm: true, Capacity: 4, InUse: 3, RunnerVersion: "0.14.1",
		Context: 4096, Operations: []string{"chat", "completion"}, Since: time.Unix(1000, 0),
		Features: []string{"tools", "logprobs"}, Lacks: []string{"vision"},
	}
	if got := c.Constraints.PerCapability[capability.LLM][llama.ID]; !reflect.DeepEqual(got, want) {
		t.Errorf("model %+v, want %+v", got, want)
	}
	// A poll gets an offer too; a request for transcoding does not.
	if _, err := n.Offer(t.Context(), orchestrate.OfferRequest{}); err != nil {
		t.Error(err)
	}
	_, err = n.Offer(t.Context(),
		orchestrate.OfferRequest{Wanted: &capability.Capabilities{Bits: capability.Of(capability.H264)}})
	wantCode(t, err, fault.OrchestratorCapped)
	_, err = n.Admit(t.Context(), request(&in.Token))
	wantCode(t, err, fault.OrchestratorCapped)
	if fault.Wire(err) != "OrchestratorCapped" {
		t.Error(fault.Wire(err))
	}
	if err := n.EndSession(&in.Token); err != nil {
		t.Error(err)
	}
	n.Sweep(n.clk.Now())

	// A cold model is offered as such; one of the node's that it cannot start is not.
	w.Set(llama, func(s *inference.ModelState) {
		*s = inference.ModelState{Model: s.Model, State: inference.Evicted, RunnerVersion: s.RunnerVersion}
	})
	if got := n.Capabilities().Constraints.PerCapability[capability.LLM][llama.ID]; !reflect.DeepEqual(got,
		capability.Model{Capacity: 1, RunnerVersion: "0.14.1"}) {
		t.Errorf("cold model %+v", got)
	}
	w.Set(llama, func(s *inference.ModelState) { s.External = true })
	if got := n.Capabilities(); got.Bits.Has(capability.LLM) || len(got.Constraints.PerCapability) != 0 {
		t.Errorf("%+v", got)
	}
}

// TestFullOfSessions: transcoding sessions say nothing of a model's slots.
func TestFullOfSessions(t *testing.T) {
	t.Parallel()
	n, _ := aiNode(t, ready(1), func(o *orchestrate.Options) { o.Limit = 1 })
	tok := n.token()
	n.send(tok)
	_, err := n.Offer(t.Context(), orchestrate.OfferRequest{})
	wantCode(t, err, fault.OrchestratorCapped)
	around := capability.Offer(capability.Default(), "0.9.1")
	if _, err := n.Offer(t.Context(), orchestrate.OfferRequest{Wanted: &around}); err != nil {
		t.Errorf("a gateway that lists models: %v", err)
	}
	req := jobRequest(t, tok)
	in, err := n.Offer(t.Context(), orchestrate.OfferRequest{Wanted: req.Credentials.Capabilities})
	if err != nil {
		t.Fatal(err)
	}
	req.Credentials.Token = &in.Token
	j, err := n.AdmitJob(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
}
