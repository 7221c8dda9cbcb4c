package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
)

// mood is what a model server does with streams.
type mood int32

const (
	well    mood = iota
	refuses      // 503
	silent       // no byte, until its client leaves
)

// moody is an orchestrator whose model server has moods.
type moody struct {
	node *harness.Process
	addr string
	mood atomic.Int32
	// asked counts the streams that came to the server.
	asked atomic.Int64
}

func (m *moody) turns(to mood) { m.mood.Store(int32(to)) }

func startMoody(t *testing.T, args ...string) *moody {
	t.Helper()
	m := &moody{}
	server := canned(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		m.asked.Add(1)
		switch mood(m.mood.Load()) {
		case refuses:
			http.Error(w, `{"error":{"message":"no memory"}}`, http.StatusServiceUnavailable)
			return
		case silent:
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, cannedEvent)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	offer := llmEntry(cannedModel, server.URL)
	offer["capacity"] = 64
	m.node, m.addr = aiOrchestrator(t, []entry{offer}, args...)
	awaitModel(t, m.node, m.addr, cannedModel, "ready")
	return m
}

// streamOf asks for a stream, at one orchestrator only where at is not "", and reads it.
func streamOf(ctx context.Context, gw, at string) (string, error) {
	request := chatRequest(cannedModel, 5, true)
	if at != "" {
		request["provider"] = map[string]any{"only": []string{at}}
	}
	res, err := post(ctx, gw+"/v1/chat/completions", "", request)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || !strings.Contains(string(text), "[DONE]")) {
		err = fmt.Errorf("%d: %s", res.StatusCode, text)
	}
	return string(text), err
}

// Of two orchestrators one falls silent, or refuses all streams: every client has its answer all the same, long before
// a silent one is given up.
func TestOneOfTwoOrchestrators(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]mood{"silent": silent, "refuses": refuses} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad, good := startMoody(t), startMoody(t)
			node, gw := gateway(t, bad.addr+","+good.addr)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			for _, o := range []*moody{bad, good} {
				for range 24 {
					if _, err := streamOf(ctx, gw, o.addr); err != nil {
						t.Fatal(err)
					}
				}
			}
			bad.turns(is)
			before := bad.asked.Load()
			var clients sync.WaitGroup
			for range 4 {
				clients.Go(func() {
					for range 250 {
						if _, err := streamOf(ctx, gw, ""); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			clients.Wait()
			if bad.asked.Load() == before {
				t.Error("the bad one was never asked")
			}
			if hedged := strings.Contains(node.Log(), "hedged=true"); hedged != (is == silent) {
				t.Errorf("hedged: %v", hedged)
			}
		})
	}
}
