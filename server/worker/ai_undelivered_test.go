package worker_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// breaks cuts off so many results before they are read.
func breaks(n int64) func(http.Handler) http.Handler {
	var left atomic.Int64
	left.Store(n)
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if left.Add(-1) >= 0 {
				panic(http.ErrAbortHandler)
			}
			next.ServeHTTP(w, r)
		})
	}
}

// An answer that is lost on its way is not waited for: another worker does the job.
func TestPairALostAnswer(t *testing.T) {
	p, addr := newPoolWith(t, breaks(1))
	newRig(t, "rig1", addr, newModels(llm("m"), 1))
	has(t, p, llm("m"), 1)
	newRig(t, "rig2", addr, newModels(llm("m"), 1))
	has(t, p, llm("m"), 2)
	if reply, text := whole(t, p, chat(llm("m"), false)); reply.Worker != "rig2 box" || text != `{"ok":true}` {
		t.Errorf("%s: %s", reply.Worker, text)
	}
}

// The word of it is lost once too.
func TestPairALostAnswerOfTheOnlyWorker(t *testing.T) {
	p, addr := newPoolWith(t, breaks(2))
	newRig(t, "rig1", addr, newModels(llm("m"), 1))
	has(t, p, llm("m"), 1)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if _, _, err := do(ctx, p, chat(llm("m"), false)); fault.CodeOf(err) != fault.AIWorkerLost {
		t.Error(err)
	}
}
