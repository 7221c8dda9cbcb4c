package worker_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// Workers are cut off and come anew while jobs run and gateways leave: every job ends,
// an answer is whole or an error, and in the end all slots are free.
func TestChaos(t *testing.T) {
	const jobs, clients = 240, 12
	p, addr := newPool(t)
	whole := strings.Repeat("data: some words\n\n", 20)
	var workers sync.WaitGroup
	over := make(chan struct{})
	// One stays, so that nothing comes to a stand.
	steady := newModels(llm("m"), 2)
	steady.run = slowly(whole)
	newRig(t, "steady", addr, steady)
	has(t, p, llm("m"), 2)
	for i := range 2 {
		workers.Go(func() {
			for n := 0; ; n++ {
				way := newCable(t, addr)
				m := newModels(llm("m"), 1+n%3)
				m.run = slowly(whole)
				r := newRig(t, fmt.Sprintf("rig%d-%d", i, n), way.addr(), m)
				select {
				case <-time.After(time.Duration(rand.IntN(400)) * time.Millisecond):
					way.cut()
					r.stop()
				case <-over:
					r.stop()
					return
				}
			}
		})
	}
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for n := range jobs / clients {
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				if n%5 == 0 {
					ctx, cancel = context.WithTimeout(t.Context(), time.Duration(rand.IntN(20))*time.Millisecond)
				}
				once(ctx, t, p, fmt.Sprint(c), whole)
				cancel()
			}
		})
	}
	wg.Wait()
	close(over)
	workers.Wait()
	has(t, p, llm("m"), 2)
	aiUntil(t, "all slots are free", func() bool {
		s := p.Models()[0]
		return s.InUse == 0 && s.Waiting == 0 && p.Workers()[0].Models[0].InUse == 0
	})
}

// slowly answers piece by piece.
func slowly(text string) func(context.Context, *inference.Job) (*inference.Reply, error) {
	return func(ctx context.Context, _ *inference.Job) (*inference.Reply, error) {
		r, w := io.Pipe()
		stop := context.AfterFunc(ctx, func() { r.CloseWithError(ctx.Err()) })
		go func() {
			defer stop()
			for piece := range strings.SplitAfterSeq(text, "\n\n") {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
			}
			w.Close()
		}()
		return &inference.Reply{Status: 200, ContentType: "text/event-stream", Length: -1, Body: r}, nil
	}
}

// once does a job, and checks how it ended.
func once(ctx context.Context, t *testing.T, w inference.Worker, party, want string) {
	slot, err := w.Reserve(ctx, llm("m"), party)
	if err != nil {
		if ctx.Err() == nil {
			t.Errorf("no slot: %v", err)
		}
		return
	}
	defer slot.Release()
	reply, err := slot.Run(ctx, chat(llm("m"), true))
	if err != nil {
		if ctx.Err() == nil && fault.CodeOf(err) != fault.AIWorkerLost {
			t.Errorf("no answer: %v", err)
		}
		return
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err == nil && string(text) != want {
		t.Errorf("%d of %d bytes, and no error", len(text), len(want))
	}
	if code := fault.CodeOf(err); err != nil && ctx.Err() == nil && code != fault.StreamBroken {
		t.Errorf("broke off: %v", err)
	}
}
