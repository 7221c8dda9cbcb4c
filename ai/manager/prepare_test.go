package manager_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// slowly is a fetcher whose images fail to come for ten seconds.
type slowly struct{ now, most atomic.Int64 }

func (s *slowly) Fetch(ctx context.Context, _ string, _ []string) (*manager.PictureBatch, error) {
	s.most.Store(max(s.most.Load(), s.now.Add(1)))
	defer s.now.Add(-1)
	select {
	case <-ctx.Done():
	case <-time.After(10 * time.Second):
	}
	return nil, fault.New(fault.PictureNotFetched, "fetch images", "too slow")
}

// Jobs whose images do not come hold no slot, and a party has few of them at once.
func TestSlowPicturesHoldNoSlot(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h, f := newHost(), &slowly{}
		h.programs["a"] = &program{slots: 1}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{{Model: llm("a"), Warm: true}}, ImageFetcher: f})
		after(time.Minute)
		run := func(ctx context.Context, party, content string) error {
			slot, err := r.m.Reserve(ctx, llm("a"), party)
			if err != nil {
				return err
			}
			defer slot.Release()
			reply, err := slot.Run(ctx, &inference.Job{Model: llm("a"),
				Body: []byte(`{"messages":[{"content":[` + content + `]}]}`)})
			if err == nil {
				err = reply.Body.Close()
			}
			return err
		}
		const slow = `{"image_url":"https://a"}`
		var wg sync.WaitGroup
		var full, failed atomic.Int64
		for range 20 {
			wg.Go(func() {
				switch err := run(t.Context(), "bad", slow); {
				case errors.Is(err, fault.JobsFull):
					full.Add(1)
				case errors.Is(err, fault.PictureNotFetched):
					failed.Add(1)
				}
			})
		}
		ctx, cancel := context.WithCancel(t.Context())
		wg.Go(func() { _ = run(ctx, "bad", slow) })
		synctest.Wait()
		cancel()
		synctest.Wait()
		begun := time.Now()
		for range 5 {
			if err := run(t.Context(), "good", `{"text":"x"}`); err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(begun); took != 0 || f.now.Load() != 4 {
			t.Errorf("others waited for %v, %d jobs fetch", took, f.now.Load())
		}
		wg.Wait()
		if f.most.Load() != 4 || failed.Load() != 8 || full.Load() != 12 {
			t.Errorf("%d at once, %d failed, %d were refused", f.most.Load(), failed.Load(), full.Load())
		}
		r.idle()
		r.end()
	})
}
