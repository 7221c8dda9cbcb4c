package payments

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

// traffic is jobs that come to the gateways until stop is called. What fails is
// counted; during the disruptions many may fail.
type traffic struct {
	stop                       context.CancelFunc
	wg                         sync.WaitGroup
	segments, answers          atomic.Int64
	lostSegments, lostAnswers  atomic.Int64
	lastSegment, lastAnswerErr atomic.Value
}

// clients is how many ask each gateway's model at once.
const clients = 3

func (w *world) traffic() *traffic {
	w.Helper()
	segs := segments(w.T, 4)
	ctx, stop := context.WithCancel(context.Background())
	tr := &traffic{stop: stop}
	w.Cleanup(func() { stop(); tr.wg.Wait() })
	for i, g := range w.gateways {
		tr.wg.Go(func() { tr.video(ctx, g, i, segs) })
		for range clients {
			tr.wg.Go(func() { tr.chats(ctx, g) })
		}
	}
	return tr
}

// end stops the traffic and waits for what is under way.
func (tr *traffic) end() {
	tr.stop()
	tr.wg.Wait()
}

// pace is the pause between two jobs of one client.
const pace = 50 * time.Millisecond

func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (tr *traffic) video(ctx context.Context, g *party, stream int, segs []clip.Segment) {
	for n := 0; ctx.Err() == nil; n++ {
		s := segs[n%len(segs)]
		_, err := harness.Push("http://"+g.front, fmt.Sprintf("stream%d", stream), fmt.Sprintf("%d.ts", n), s.Data,
			s.Duration)
		if err != nil {
			tr.lostSegments.Add(1)
			tr.lastSegment.Store(err.Error())
		} else {
			tr.segments.Add(1)
		}
		pause(ctx, pace)
	}
}

func (tr *traffic) chats(ctx context.Context, g *party) {
	for ctx.Err() == nil {
		if err := chat(g); err != nil {
			tr.lostAnswers.Add(1)
			tr.lastAnswerErr.Store(err.Error())
		} else {
			tr.answers.Add(1)
		}
		pause(ctx, pace)
	}
}

func chat(g *party) error {
	body := fmt.Appendf(nil, `{"model":%q,"max_tokens":20,"messages":[{"role":"user","content":"count"}]}`, model)
	resp, err := harness.Client().Post("http://"+g.front+"/v1/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", resp.Status, text)
	}
	return err
}

// segments makes a short generated stream that costs little.
func segments(t *testing.T, count int) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), clip.Options{Width: 320, Height: 180, FPSNum: 15, FPSDen: 1, Segments: count,
		Bitrate: 300_000, Segment: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
