package worker_test

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/remote/aiworkers"
	"github.com/tuttinode/tutti/server/worker"
)

// lines are a log's.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write keeps a line.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) count(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), what)
}

// A gateway's jobs that fail, which cost it nothing, have few lines in the logs of a worker and of its orchestrator:
// those of models, and sessions of live video that a worker does not begin.
func TestFailedJobsDoNotFillTheLogs(t *testing.T) {
	const jobs, few = 150, 60
	for name, live := range map[string]bool{"a model": false, "live video": true} {
		t.Run(name, func(t *testing.T) {
			var there, here lines
			now := time.Unix(1e9, 0)
			log := func(l *lines) *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }
			p, addr := newPoolWith(t, func(h http.Handler) http.Handler { return h },
				func(o *aiworkers.Options) { o.Log = log(&here) })
			machine := newLiveModels(1)
			machine.released = make(chan struct{}, jobs)
			if !live {
				machine.models = newModels(llm("m"), 1)
			}
			machine.models.run = func(context.Context, *inference.Job) (*inference.Reply, error) {
				return nil, fault.New(fault.RunnerUnreachable, "run", "it cannot be reached")
			}
			newRig(t, "rig1", addr, machine.models, func(o *worker.AIOptions) {
				o.Log, o.Now = log(&there), func() time.Time { return now }
				if live {
					isLive(machine)(o)
				}
			})
			id := machine.models.state.Model
			has(t, p, id, 1)
			job := chat(id, false)
			if live {
				job = liveJob(t, id)
			}
			for range jobs {
				slot, err := p.Reserve(t.Context(), id, "gateway")
				if err != nil {
					t.Fatal(err)
				}
				if _, err := slot.Run(t.Context(), job); err == nil {
					t.Fatal("the job does not fail")
				}
				slot.Release()
			}
			if n := there.count("AI job failed"); n == 0 || n > few {
				t.Errorf("%d lines at the worker", n)
			}
			if n := here.count("did not begin"); live && n == 0 || n > few {
				t.Errorf("%d lines at the orchestrator", n)
			}
		})
	}
}
