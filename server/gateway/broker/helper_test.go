package broker_test

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/broker"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/test/coretest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// setup is a broker over orchestrators.
type setup struct {
	*broker.Broker
	clock *coretest.Clock
	list  atomic.Pointer[[]string]
}

// start makes a broker. Its times are long, so that a slow machine fails no
// test.
func start(t testing.TB, change func(*broker.Options, *upstream.Options), over ...*orchestrator) *setup {
	t.Helper()
	s := &setup{clock: new(coretest.Clock)}
	s.use(over...)
	up := upstream.Options{Node: "tutti/1", Now: s.clock.Now}
	opt := broker.Options{
		Orchestrators: func(context.Context) ([]string, error) { return *s.list.Load(), nil },
		Version:       "0.9.1", Now: s.clock.Now, RefreshEvery: time.Hour, RetryWindow: time.Hour,
		DiscoveryWait: videorouting.DiscoveryWait{First: time.Minute, Stop: time.Minute},
	}
	if change != nil {
		change(&opt, &up)
	}
	opt.Client = upstream.New(up)
	s.Broker = broker.New(opt)
	t.Cleanup(opt.Client.Close)
	t.Cleanup(s.Close)
	return s
}

// use changes the list of orchestrators.
func (s *setup) use(over ...*orchestrator) {
	var uris []string
	for _, o := range over {
		uris = append(uris, o.uri)
	}
	s.list.Store(&uris)
}

func chat() *inference.Job {
	return &inference.Job{
		Model: llm, Operation: inference.Chat, ContentType: "application/json", RequestID: "req-1", Units: 8,
		Body: []byte(`{"model":"org/model","messages":[{"role":"user","content":"hi"}],"max_tokens":8,"seed":7}`),
	}
}

// ask does a job and reads its answer.
func (s *setup) ask(ctx context.Context, job *inference.Job, hint broker.Hint) (string, *broker.Answer, error) {
	a, err := s.Do(ctx, job, hint)
	if err != nil {
		return "", nil, err
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	d := inference.Delivery{How: inference.Complete}
	if errors.Is(err, fault.CompletionBroken) {
		d.How = inference.Faulty
	}
	a.Deliver(d)
	return string(text), a, err
}

// mustAsk does a job that must come out well.
func (s *setup) mustAsk(t testing.TB) (string, *broker.Answer) {
	t.Helper()
	text, a, err := s.ask(t.Context(), chat(), broker.Hint{})
	if err != nil {
		t.Fatal(err)
	}
	return text, a
}

// eventually waits for a condition.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	timeout := time.After(20 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-timeout:
			t.Fatalf("in vain: %s", what)
		}
	}
}

// inFlight is the number of jobs that the broker counts.
func (s *setup) inFlight() int {
	n := 0
	for _, p := range s.Pools() {
		for _, st := range p.Statuses {
			n += st.InFlight
		}
	}
	return n
}
