package aiworkers_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestCountersSurviveAReturn: what a worker did is counted, by its name, and the counts go on
// when it is back, with a new process too.
func TestCountersSurviveAReturn(t *testing.T) {
	b := newBench(t, nil)
	work := func(instance string, succeed bool) {
		t.Helper()
		req := ours("rig1", llm("m"), 1)
		req.Instance = instance
		h := b.register(req)
		b.has(llm("m"), 1)
		done := b.start(chat(llm("m"), false))
		task := h.next().GetTaskId()
		if succeed {
			b.post(task, "application/json", strings.NewReader(`{}`), from(instance))
		} else {
			b.post(task, "livepeer/ai-worker-error", strings.NewReader("out of memory"), from(instance))
		}
		if out := <-done; (out.err == nil) != succeed {
			t.Errorf("%+v", out)
		}
		h.close()
		b.until("it is gone", func() bool { return len(b.pool.Workers()) == 0 })
	}
	work("rig1-1", true)
	work("rig1-2", false)
	b.register(ours("rig1", llm("m"), 1))
	b.until("it is back with its counts", func() bool {
		w := b.pool.Workers()
		return len(w) == 1 && strings.Contains(fmt.Sprintf("%+v", w[0]), "Done:1 Failed:1")
	})
}
