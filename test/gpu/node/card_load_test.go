package node

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

const (
	// shortLoad is how long the load lasts in the short form.
	shortLoad = 5 * time.Second
	// settles is how long a load must last before levels say something: sessions last a
	// minute after their streams.
	settles = 4 * time.Minute
	// chatEvery, sampleEvery and refusedPause are the times between answers of the
	// model, between samples, and after a stream that was refused.
	chatEvery, sampleEvery, refusedPause = 200 * time.Millisecond, 500 * time.Millisecond, time.Second
)

// TestCardLoad is streams that come and go, and answers of a model alongside them, for as
// long as there is time: nothing may fail, and nothing may grow.
func TestCardLoad(t *testing.T) {
	c := card.Open(t)
	parallel(t, c)
	b := startBeside(t, c)
	r := startOn(t, c, loadForm(c), "-aiWorker", "-aiAllowUnverified", "-aiModels", modelsFile(t, b.external()))
	begun := time.Now()
	until := time.Now().Add(shortLoad)
	if card.Full() {
		until = card.Deadline(t, shortLoad).Add(-10 * time.Second) // for the last segments and the end
	}
	ctx, cancel := context.WithDeadline(t.Context(), until)
	defer cancel()
	l := load{r: r}
	var wg sync.WaitGroup
	for slot := range r.form.streams {
		wg.Go(func() { l.streams(ctx, slot) })
	}
	wg.Go(func() { l.chats(ctx) })
	var all []level
	wg.Go(func() { all = l.samples(ctx) })
	wg.Wait()
	lasted := time.Since(begun)
	l.report(lasted)
	levels(t, all, lasted)
	w := r.look()
	card.CheckThat(t, w != nil && w.State == "ready" && w.Failed == 0, "the GPU's worker after the load",
		"ready, nothing failed", fmt.Sprintf("%+v", w), "")
	left := r.explain()
	card.RecordCheck(t, "conditions after the load", cut(left), "")
}

// loadForm is two renditions, so that a GPU whose driver counts encoders takes some
// streams at once: they keep theirs for a minute after their last segment.
func loadForm(c *card.Card) form {
	f := formOf(c)
	f.streams = 2
	if card.Full() && c.Real() {
		full := formOf(c)
		f.source = clip.Options{Width: 1280, Height: 720, Segments: 4, Bitrate: 3_000_000, Segment: 2 * time.Second}
		f.ladder, f.streams = "P360p30fps16x9,P240p30fps16x9", full.streams
	}
	return f
}

// lives is how long a stream of the load goes on.
func lives() time.Duration {
	if card.Full() {
		return 25 * time.Second
	}
	return time.Second
}

// load is what was done so far.
type load struct {
	r *rig

	mu sync.Mutex
	// All below is guarded by mu.
	done                       outcomes
	streamed, refused, answers int
	errs                       []error
}

// streams pushes one stream after another, each as fast as it is answered.
func (l *load) streams(ctx context.Context, slot int) {
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprintf("load%d-%d", slot, i)
		ends := time.Now().Add(lives())
		for first := true; ctx.Err() == nil && time.Now().Before(ends); first = false {
			o := l.r.send(name)
			if o.refused() && first {
				l.update(func() { l.refused++ })
				pause(ctx, refusedPause)
				break
			}
			l.update(func() {
				l.done = append(l.done, o)
				if first {
					l.streamed++
				}
			})
			if o.err != nil {
				break
			}
		}
	}
}

// chats asks the model again and again.
func (l *load) chats(ctx context.Context) {
	for ctx.Err() == nil {
		err := l.r.chat()
		l.update(func() {
			if l.answers++; err != nil {
				l.errs = append(l.errs, err)
			}
		})
		pause(ctx, chatEvery)
	}
}

func (l *load) update(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
}

// report checks what was done.
func (l *load) report(lasted time.Duration) {
	t := l.r.T
	t.Helper()
	l.r.whole("segments of streams that come and go", l.done)
	card.CheckThat(t, len(l.errs) == 0 && l.answers > 0, "answers of the model meanwhile", "none failed",
		cut(fmt.Sprintf("%d answers, %d failed %v", l.answers, len(l.errs), errors.Join(l.errs...))),
		fmt.Sprintf("%.1f answers/s", float64(l.answers)/lasted.Seconds()))
	least := 1
	if card.Full() {
		least = 2
	}
	card.CheckThat(t, l.streamed >= least, "streams that came and went", fmt.Sprintf("at least %d", least),
		fmt.Sprintf("%d, and %d refused by name", l.streamed, l.refused), seconds(lasted))
	rate := float64(len(l.done)-l.done.failed()) / lasted.Seconds()
	card.RecordCheck(t, "segments under load", fmt.Sprintf("%d streams at once of %v segments", l.r.form.streams,
		l.r.form.source.Segment),
		fmt.Sprintf("%.2f segments/s, %.1f times real time", rate, rate*l.r.form.source.Segment.Seconds()))
}

// samples looks at the processes and the GPU until the load ends.
func (l *load) samples(ctx context.Context) (all []level) {
	for ctx.Err() == nil {
		if s, ok := l.r.level(); ok {
			all = append(all, s)
		}
		pause(ctx, sampleEvery)
	}
	return all
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
