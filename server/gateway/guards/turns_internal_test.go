package guards

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// held is a guard that passes a question once the test has let it go on.
type held struct{ asked, goOn chan string }

func (h *held) ask(_ context.Context, question []byte, _ int64) ([]byte, error) {
	var q Question
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	h.asked <- q.RequestID
	<-h.goOn
	return []byte(`{"action":"pass"}`), nil
}

func (*held) close() {}

// withHeld is a guard with one question at a time, which may be passed where it fails.
func withHeld(t *testing.T, timeout string) (*Guards, *held) {
	t.Helper()
	specs, err := ParseFile([]byte(`{"guards":[{"name":"g","url":"http://x/","concurrency":1,"on_failure":"pass",` +
		`"timeout":"` + timeout + `"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	g, h := New(specs, slog.New(slog.DiscardHandler)), &held{make(chan string), make(chan string)}
	g.list[0].backend = h
	return g, h
}

// A client passes no guard by asking it more than it can answer, also where its failures pass.
func TestManyQuestionsPassNothing(t *testing.T) {
	t.Parallel()
	g, h := withHeld(t, "10ms")
	first := make(chan error)
	go func() {
		_, err := g.Check(t.Context(), Question{Stage: StageRequest, RequestID: "1"})
		first <- err
	}()
	<-h.asked
	if _, err := g.Check(t.Context(), Question{Stage: StageRequest}); fault.CodeOf(err) != fault.GuardFailed {
		t.Errorf("the guard was not asked: %v", err)
	}
	close(h.goOn)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

// What cannot be written as a question passes no guard either.
func TestUnwritableQuestionsPassNothing(t *testing.T) {
	t.Parallel()
	g, _ := withHeld(t, "10ms")
	_, err := g.Check(t.Context(), Question{Stage: StageAnswer, Stream: true, Events: []json.RawMessage{[]byte(`{} {}`)}})
	if fault.CodeOf(err) != fault.GuardFailed {
		t.Errorf("%v", err)
	}
}

// Clients take turns at a guard: one with many questions does not delay another one's behind all of them.
func TestClientsTakeTurns(t *testing.T) {
	t.Parallel()
	g, h := withHeld(t, "1m")
	ended := make(chan error)
	ask := func(party, id string) {
		go func() {
			_, err := g.Check(t.Context(), Question{Stage: StageRequest, RequestID: id, Party: party})
			ended <- err
		}()
	}
	ask("many", "1")
	<-h.asked
	for i, id := range []string{"2", "3", "4"} {
		ask("many", id)
		waiting(t, g, i+1)
	}
	ask("one", "own")
	waiting(t, g, 4)
	var order []string
	for range 4 {
		h.goOn <- ""
		order = append(order, <-h.asked)
	}
	h.goOn <- ""
	for range 5 {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if order[0] != "own" && order[1] != "own" {
		t.Errorf("asked in the order %v", order)
	}
}

// waiting waits until n questions wait for their turn.
func waiting(t *testing.T, g *Guards, n int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for g.list[0].slots.Stats().Waiting != n {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("the questions do not wait")
		}
	}
}
