package broker_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

const noTools = `{"error":{"message":"org/model does not support tools"}}`

// withTools is a client's chat with tools; what its servers see of it does not matter here.
func withTools(client string) *inference.Job {
	job := chat()
	job.Client = client
	job.Needs = inference.Needs{Features: inference.Tools | inference.OperationFeature(inference.Chat), Tokens: 20}
	return job
}

// firstAt has an orchestrator asked first.
func firstAt(t *testing.T, o *orchestrator) broker.Hint {
	t.Helper()
	return wishing(t, airouting.Preferences{}, []*orchestrator{o}, nil)
}

// jobsOf is how many jobs an orchestrator got.
func jobsOf(o *orchestrator) int {
	_, n := o.counts()
	return n
}

// What one orchestrator refuses in words that name it, and another one serves, is not sent to the first again for that
// client, and for no client once two met it. Whatever form the refusal has.
func TestRefusalsAreLearnedFrom(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]func(int, http.ResponseWriter, *http.Request){
		"an answer":    said(400, noTools),
		"a fault":      coded(400, "JobRefused", "LLM container: org/model does not support tools"),
		"an operation": coded(400, "OperationUnsupported", "LLM container does not offer it"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := fake(t, "a").does(refusal), fake(t, "b")
			s := start(t, nil, a, b)
			s.allKnown(t, 2)
			a.with(func() { a.jobs = 0 })
			for i, tt := range []struct {
				client string
				jobs   int
			}{{"x", 1}, {"x", 1}, {"x", 1}, {"y", 2}, {"y", 2}, {"z", 2}} {
				text, _, err := s.ask(t.Context(), withTools(tt.client), firstAt(t, a))
				if err != nil || text != `{"b":1}` || jobsOf(a) != tt.jobs {
					t.Errorf("request %d, of %s: %s %v, a was asked %d times", i, tt.client, text, err, jobsOf(a))
				}
			}
			s.clock.Forward(time.Hour + time.Minute)
			if _, _, err := s.ask(t.Context(), withTools("z"), firstAt(t, a)); err != nil || jobsOf(a) != 3 {
				t.Errorf("after an hour a was asked %d times: %v", jobsOf(a), err)
			}
		})
	}
}

// What all refuse is the request's: nothing is learned from it, however often and by which clients it is sent.
func TestWhatAllRefuseIsNotLearned(t *testing.T) {
	t.Parallel()
	bad := func(name string) *orchestrator {
		return fake(t, name).does(func(n int, w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("X-Request-Id") == "bad" {
				said(400, noTools)(n, w, r)
				return
			}
			answer(w, name)
		})
	}
	a, b := bad("a"), bad("b")
	s := start(t, nil, a, b)
	s.allKnown(t, 2)
	for _, client := range []string{"x", "y", "x", "y", "x", "y"} {
		job := withTools(client)
		job.RequestID = "bad"
		_, answer, err := s.ask(t.Context(), job, broker.Hint{})
		if err != nil || answer.Status != http.StatusBadRequest {
			t.Fatalf("%+v %v", answer, err)
		}
	}
	for _, o := range []*orchestrator{a, b} {
		for _, client := range []string{"x", "z"} {
			text, _, err := s.ask(t.Context(), withTools(client), firstAt(t, o))
			if want := `{"` + o.name + `":1}`; err != nil || text != want {
				t.Errorf("%s's good request: %s %v, want %s", client, text, err, want)
			}
		}
	}
}

// Nothing is learned from an answer that breaks off, from a refusal in other words, or from what a node of the existing
// network refuses: it did not get what it would have to do.
func TestWhatIsNotLearned(t *testing.T) {
	t.Parallel()
	cut := func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "{")
		panic(http.ErrAbortHandler)
	}
	for name, tt := range map[string]struct {
		refusal, other func(int, http.ResponseWriter, *http.Request)
		foreign        bool
	}{
		"broken off":  {said(400, noTools), cut, false},
		"other words": {said(400, `{"error":{"message":"tools[0].name: field required"}}`), nil, false},
		"network":     {status(500, "LLM container returned 400: the model does not support tools"), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := fake(t, "a"), fake(t, "b")
			if tt.foreign {
				a.foreign()
				b.foreign()
			}
			s := start(t, nil, a, b)
			s.allKnown(t, 2)
			a.does(tt.refusal)
			b.does(tt.other)
			_, _, _ = s.ask(t.Context(), withTools("x"), firstAt(t, a))
			for _, c := range explainFor(s, withTools("x")) {
				if c.Missing != (inference.Needs{}) {
					t.Errorf("%s is thought to lack %q", c.Status.Offer.URI, c.Missing.Words())
				}
			}
		})
	}
}

func explainFor(s *setup, job *inference.Job) []airouting.Choice {
	choices, _ := s.Explain(job, broker.Hint{})
	return choices
}

// What the offers rule out is refused by name and sent nowhere; what they leave open is tried.
func TestFeaturesOfOffers(t *testing.T) {
	t.Parallel()
	model := func(m capability.Model) func(*orchestrator) *orchestrator {
		m.Warm, m.Capacity, m.RunnerVersion = true, 8, "0.14.0"
		return func(o *orchestrator) *orchestrator { return o.with(func() { o.models[llm] = m }) }
	}
	chats := []string{"chat", "completion"}
	none := model(capability.Model{Operations: chats, Lacks: []string{"tools", "vision"}, Context: 4096})
	some := model(capability.Model{Operations: append(chats, "embedding"), Features: []string{"vision"}})
	for name, tt := range map[string]struct {
		offers []func(*orchestrator) *orchestrator
		needs  inference.Needs
		op     inference.Operation
		code   fault.Code
		text   string
	}{
		"none has it": {offers: []func(*orchestrator) *orchestrator{none, none}, needs: inference.Needs{
			Features: inference.Tools | inference.Vision}, code: fault.ModelLacksFeature, text: "has no tools, vision at any"},
		"one says nothing": {offers: []func(*orchestrator) *orchestrator{none, some},
			needs: inference.Needs{Features: inference.Tools}},
		"no embeddings": {offers: []func(*orchestrator) *orchestrator{none, none}, op: inference.Embedding,
			code: fault.OperationUnknown, text: "no orchestrator does embedding with llm org/model"},
		"one embeds":     {offers: []func(*orchestrator) *orchestrator{none, some}, op: inference.Embedding},
		"longer than it": {offers: []func(*orchestrator) *orchestrator{none}, needs: inference.Needs{Tokens: 9000}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []*orchestrator
			for i, with := range tt.offers {
				all = append(all, with(fake(t, string(rune('a'+i)))))
			}
			s := start(t, nil, all...)
			s.allKnown(t, len(all))
			before := 0
			for _, o := range all {
				before += jobsOf(o)
			}
			job := chat()
			if job.Needs = tt.needs; tt.op != "" {
				job.Operation, job.Needs.Features = tt.op, inference.OperationFeature(tt.op)
			}
			text, _, err := s.ask(t.Context(), job, broker.Hint{})
			after := 0
			for _, o := range all {
				after += jobsOf(o)
			}
			_, public := fault.Public(err)
			switch {
			case tt.code == "" && (err != nil || after != before+1):
				t.Errorf("%s %v, %d jobs", text, err, after-before)
			case tt.code != "" && (fault.CodeOf(err) != tt.code || !strings.Contains(public, tt.text) || after != before):
				t.Errorf("%v, want %s; %d jobs", err, tt.code, after-before)
			}
		})
	}
}

// Two orchestrators that refuse a request for different reasons do not agree: a third one may do both, and gets it.
// Both are remembered for what they said, and a third that lacks either is not asked.
func TestRefusalsForDifferentReasons(t *testing.T) {
	t.Parallel()
	const tooLong = `{"error":{"message":"This model's maximum context length is 10 tokens."}}`
	a, b, c := fake(t, "a").does(said(400, noTools)), fake(t, "b").does(said(400, tooLong)), fake(t, "c")
	s := start(t, nil, a, b, c)
	s.allKnown(t, 3)
	for _, o := range []*orchestrator{a, b, c} {
		o.with(func() { o.jobs = 0 })
	}
	hint := wishing(t, airouting.Preferences{}, []*orchestrator{a, b, c}, nil)
	for range 2 {
		if text, _, err := s.ask(t.Context(), withTools("x"), hint); err != nil || text != `{"c":1}` {
			t.Errorf("%s %v", text, err)
		}
	}
	if jobsOf(a) != 1 || jobsOf(b) != 1 || jobsOf(c) != 2 {
		t.Errorf("asked %d, %d and %d times", jobsOf(a), jobsOf(b), jobsOf(c))
	}
	c.does(said(400, noTools))
	if _, answer, err := s.ask(t.Context(), withTools("y"), hint); err != nil || answer.Status != 400 {
		t.Errorf("all refuse: %+v %v", answer, err)
	}
}
