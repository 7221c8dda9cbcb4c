package worker_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/worker"
)

// A worker that has nothing to do keeps no connection for results. It has one while a task
// runs, however long.
func TestConnectionForResultsIsOpenForWorkOnly(t *testing.T) {
	t.Parallel()
	b := newFakeOrchestrator(t, "").start()
	c := startWorker(t, func(o *worker.Options) { o.ResultsIdle = 200 * time.Millisecond }, b.addr)
	d := b.nextRegistration()
	for task := range int64(2) {
		before := b.pings.Load()
		n := d.sendTask(t, c, task+1)
		until(t, "the connection for results is not kept open", func() bool { return b.pings.Load() > before+2 })
		n.answer <- "done"
		next(t, b.results, "no result")
		if err := <-n.err; err != nil {
			t.Error(err)
		}
		until(t, "the connection for results stays open without work", func() bool {
			_, open := b.connections()
			return open == 1
		})
	}
	if all, _ := b.connections(); all < 3 {
		t.Errorf("%d connections: the registration's and two for results are expected", all)
	}
}
