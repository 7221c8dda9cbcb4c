package split

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/test/pushclient"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

const (
	streams = 3
	chats   = 2
)

// traffic is streams that are pushed in real time and chats, until it ends.
type traffic struct {
	stop            context.CancelFunc
	wg              sync.WaitGroup
	segments, lost  atomic.Int64
	answers, tokens atomic.Int64
	broken, missing atomic.Int64
	mu              sync.Mutex
	failures        []string
	slowest         time.Duration
}

func (w *world) traffic() *traffic {
	w.Helper()
	segs := segments(w.T, 4)
	ctx, stop := context.WithCancel(context.Background())
	tr := &traffic{stop: stop}
	w.Cleanup(func() { stop(); tr.wg.Wait() })
	for i := range streams {
		tr.wg.Go(func() { tr.video(ctx, w.gateway, i, segs) })
	}
	for range chats {
		tr.wg.Go(func() { tr.chat(ctx, w.gateway) })
	}
	return tr
}

// end stops the traffic and waits for what is under way.
func (tr *traffic) end() {
	tr.stop()
	tr.wg.Wait()
}

func (tr *traffic) failed(what string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.failures = append(tr.failures, time.Now().Format("15:04:05.000 ")+what)
}

// video pushes a segment a second on a fast machine, as an encoder would, and never gives up
// one that is under way.
func (tr *traffic) video(ctx context.Context, g *machine, stream int, segs []clip.Segment) {
	for n := 0; ctx.Err() == nil; n++ {
		next := time.After(harness.Stretch(time.Second))
		s := segs[n%len(segs)]
		begin := time.Now()
		renditions, err := push(g, fmt.Sprintf("stream%d", stream), n, s)
		switch {
		case err != nil:
			tr.lost.Add(1)
			tr.failed(fmt.Sprintf("segment %d of stream %d: %v", n, stream, err))
		case renditions != 2:
			tr.lost.Add(1)
			tr.failed(fmt.Sprintf("segment %d of stream %d: %d renditions", n, stream, renditions))
		default:
			tr.segments.Add(1)
		}
		tr.took(time.Since(begin))
		select {
		case <-next:
		case <-ctx.Done():
		}
	}
}

// push sends a segment and returns how many renditions came back.
func push(g *machine, stream string, n int, s clip.Segment) (renditions int, err error) {
	a, err := pushclient.Push(context.Background(), g.client, "http://127.0.0.1:9935", pushclient.Segment{
		Stream: stream, File: fmt.Sprintf("%d.ts", n), Data: s.Data, Duration: s.Duration,
	})
	if err != nil {
		return 0, err
	}
	return len(a.Renditions), nil
}

func (tr *traffic) took(d time.Duration) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.slowest = max(tr.slowest, d)
}

// chat asks for a streamed answer and counts its words.
func (tr *traffic) chat(ctx context.Context, g *machine) {
	for ctx.Err() == nil {
		n, err := ask(g)
		tr.tokens.Add(int64(n))
		if err == nil && n == words {
			tr.answers.Add(1)
			continue
		}
		tr.broken.Add(1)
		tr.missing.Add(int64(words - n))
		tr.failed(fmt.Sprintf("answer with %d of %d words: %v", n, words, err))
	}
}

func ask(g *machine) (int, error) {
	body := fmt.Appendf(nil, `{"model":%q,"max_tokens":%d,"stream":true,"messages":[{"role":"user","content":"count"}]}`,
		model, words)
	resp, err := g.client.Post("http://127.0.0.1:9935/v1/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		return 0, fmt.Errorf("%s: %s", resp.Status, text)
	}
	n := 0
	for lines := bufio.NewScanner(resp.Body); ; {
		if !lines.Scan() {
			return n, cmpErr(lines.Err(), io.ErrUnexpectedEOF)
		}
		switch text := lines.Text(); {
		case text == "data: [DONE]":
			return n, nil
		case strings.Contains(text, `"error"`):
			return n, errors.New(text)
		case strings.Contains(text, `"content":"`):
			n++
		}
	}
}

func cmpErr(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
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
