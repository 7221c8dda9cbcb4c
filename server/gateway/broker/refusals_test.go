package broker_test

import (
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

// said answers with a status and JSON, as a runner's words about a request come.
func said(status int, text string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// refusing are the ways to say that a request is wrong.
var refusing = map[string]struct {
	handle  func(int, http.ResponseWriter, *http.Request)
	foreign bool
}{
	"a runner's 400":            {handle: said(400, `{"error":{"message":"no"}}`)},
	"a runner's 413":            {handle: said(413, `{"error":{"message":"no"}}`)},
	"a runner's 415":            {handle: said(415, `{"error":{"message":"no"}}`)},
	"a runner's 422":            {handle: said(422, `{"detail":[{"msg":"no"}]}`)},
	"an operation":              {handle: coded(400, "OperationUnsupported", "LLM container does not offer it")},
	"a prompt":                  {handle: coded(400, "PromptTooLong", "the prompt is too long")},
	"a 400":                     {handle: status(400, "messages missing"), foreign: true},
	"a 422":                     {handle: status(422, "no"), foreign: true},
	"a runner's 400 of network": {handle: status(500, "LLM container returned 400: no"), foreign: true},
	"null":                      {handle: said(200, "null\n"), foreign: true},
}

// An orchestrator that refuses good requests costs no client its answer, and keeps none of
// them for long: of sixty requests others are asked first for nearly all.
func TestOneRefusalIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, row := range refusing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dishonest, good := fake(t, "liar").does(row.handle), fake(t, "good")
			if row.foreign {
				dishonest.foreign()
				good.foreign()
			}
			s := start(t, nil, dishonest, good)
			s.allKnown(t, 2)
			for i := range 60 {
				text, a, err := s.ask(t.Context(), chat(), broker.Hint{})
				if err != nil || text != `{"good":1}` || a.Status != http.StatusOK {
					t.Fatalf("request %d: %q %+v %v", i, text, a, err)
				}
				s.clock.Forward(50 * time.Millisecond)
			}
			if _, n := dishonest.counts(); n > 6 {
				t.Errorf("%d of 60 requests went to the one that refuses all", n)
			}
			eventually(t, "nothing is in flight", func() bool { return s.inFlight() == 0 })
		})
	}
}

// allKnown waits until so many orchestrators are known.
func (s *setup) allKnown(t *testing.T, n int) {
	t.Helper()
	s.mustAskAny(t)
	eventually(t, "all are known", func() bool { return len(s.Pools()[0].Statuses) == n })
}

// mustAskAny has the orchestrators found, whatever becomes of the request.
func (s *setup) mustAskAny(t *testing.T) {
	t.Helper()
	_, _, _ = s.ask(t.Context(), chat(), broker.Hint{})
}

// What two orchestrators refuse is refused, in the words of one of them, and no third one is
// asked.
func TestTwoRefusalsAreBelieved(t *testing.T) {
	t.Parallel()
	for name, row := range refusing {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all []*orchestrator
			for _, name := range []string{"a", "b", "c"} {
				o := fake(t, name)
				if row.foreign {
					o.foreign()
				}
				all = append(all, o)
			}
			s := start(t, nil, all...)
			s.allKnown(t, 3)
			for _, o := range all {
				o.with(func() { o.handle, o.jobs = row.handle, 0 })
			}
			for range 4 {
				s.refuses(t)
			}
			asked := 0
			for _, o := range all {
				_, n := o.counts()
				asked += n
			}
			if asked != 8 {
				t.Errorf("%d orchestrators were asked about 4 requests", asked)
			}
		})
	}
}

// refuses has a request refused.
func (s *setup) refuses(t *testing.T) {
	t.Helper()
	text, a, err := s.ask(t.Context(), chat(), broker.Hint{})
	switch {
	case err == nil && a.Status < 400 && text != "null\n":
		t.Fatalf("%d %s", a.Status, text)
	case err != nil && fault.ClassOf(err) != fault.BadRequest:
		t.Fatal(err)
	}
}

// Where no other one can confirm it, a refusal is the answer: no client waits for slots or for
// a model to load to learn of a mistake.
func TestARefusalWithoutASecondOpinion(t *testing.T) {
	t.Parallel()
	no := said(400, `{"error":{"message":"no"}}`)
	full := status(503, "insufficient capacity")
	for name, others := range map[string][]*orchestrator{
		"alone": nil, "others load": {fake(t, "cold").cold()},
		"others are full":    {fake(t, "full").does(full), fake(t, "full too").does(full)},
		"others break":       {fake(t, "broken").does(reset)},
		"others are no more": {func() *orchestrator { o := fake(t, "gone"); o.down.Store(true); return o }()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := fake(t, "refuser").does(no)
			var s *setup
			if name == "others break" {
				others[0].does(func(n int, w http.ResponseWriter, r *http.Request) {
					eventually(t, "both are known", func() bool { return len(s.Pools()[0].Statuses) == 2 })
					reset(n, w, r)
				})
			}
			s = start(t, func(o *broker.Options, _ *upstream.Options) { o.RetryWindow = 2 * time.Second }, append(others, o)...)
			text, a, err := s.ask(t.Context(), chat(), broker.Hint{})
			if err != nil || a.Status != 400 || text != `{"error":{"message":"no"}}` {
				t.Errorf("%q %+v %v", text, a, err)
			}
		})
	}
}

// Of two orchestrators one embeds: no embedding fails, and few are sent to the other.
func TestAnOperationThatOneLacks(t *testing.T) {
	t.Parallel()
	chats := fake(t, "chats").does(func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Tutti-Operation") == string(inference.Embedding) {
			refuse(w, 400, "OperationUnsupported", "LLM container does not offer it")
			return
		}
		answer(w, "chats")
	})
	all := fake(t, "all").does(func(_ int, w http.ResponseWriter, _ *http.Request) { answer(w, "all") })
	s := start(t, nil, chats, all)
	s.allKnown(t, 2)
	embed := chat()
	embed.Operation = inference.Embedding
	for range 20 {
		if text, _, err := s.ask(t.Context(), embed, broker.Hint{}); err != nil || text != `{"all":1}` {
			t.Fatalf("%s %v", text, err)
		}
	}
	if _, n := chats.counts(); n > 4 {
		t.Errorf("%d of 20 embeddings went to the one that only chats", n)
	}
}
