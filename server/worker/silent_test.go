package worker_test

import (
	"net"
	"sync"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/worker"
)

// An address that takes connections and never answers is no orchestrator.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
		}
	})
	t.Cleanup(func() {
		l.Close()
		accepting.Wait()
	})
	c := startWorker(t, nil, l.Addr().String())
	until(t, "no condition", func() bool {
		if c.loop.Status()[0].State == worker.Registered {
			t.Error("it counts as registered")
			return true
		}
		return c.has(fault.WorkerNotRegistered)
	})
}
