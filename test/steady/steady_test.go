package steady

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/harness"
	"github.com/tuttinode/tutti/transcoder/libav/clip"
)

var (
	lasts = flag.Duration("steady.for", 12*time.Second, "how long the load lasts")
	every = flag.Duration("steady.every", 250*time.Millisecond, "time between samples")
)

const (
	model  = "some/model"
	ladder = "P144p30fps16x9"
	// loaders is how many clients there are of each kind.
	loaders = 2
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

// nodes are an orchestrator that transcodes and serves a model, and a gateway.
type nodes struct {
	gateway string
	admins  []string
	parts   []*harness.Process
}

func TestSteady(t *testing.T) {
	n := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), *lasts)
	defer cancel()
	var done load
	var wg sync.WaitGroup
	segs := segments(t)
	for i := range loaders {
		wg.Go(func() { done.streams(ctx, n, i, segs) })
		wg.Go(func() { done.chats(ctx, n, i) })
		wg.Go(func() { done.pages(ctx, n) })
	}
	wg.Go(func() { done.reloads(ctx, n) })
	samples := make([][]sample, len(n.admins))
	for i, admin := range n.admins {
		wg.Go(func() { samples[i] = watch(ctx, t, admin) })
	}
	wg.Wait()
	t.Logf("in %v: %d segments, %d answers, %d cut short, %d pages, %d reloads; %d failed",
		*lasts, done.segments.Load(), done.answers.Load(), done.cut.Load(), done.seen.Load(), done.reloaded.Load(),
		done.failed.Load())
	if done.segments.Load() == 0 || done.answers.Load() == 0 || done.cut.Load() == 0 || done.seen.Load() == 0 ||
		done.reloaded.Load() == 0 {
		t.Error("a part of the load did nothing")
	}
	if f := done.failed.Load(); f > 0 {
		t.Errorf("%d requests failed, the first: %v", f, done.first.Load())
	}
	for i, s := range samples {
		q := len(s) / 4
		if q > 0 {
			a, b := s[q], s[len(s)-1]
			t.Logf("%s: %d samples; from %+v to %+v", n.admins[i], len(s), a, b)
		}
		if *lasts < 2*time.Minute {
			continue // sessions last a minute after their streams: nothing is level before
		}
		for _, g := range grown(s) {
			t.Errorf("%s: %s", n.admins[i], g)
		}
	}
}

func start(t *testing.T) nodes {
	t.Helper()
	dir := t.TempDir()
	binary, err := harness.Build(dir)
	if err != nil {
		t.Fatal(err)
	}
	models := filepath.Join(dir, "aiModels.json")
	entry := []map[string]any{{"pipeline": "llm", "model_id": model, "warm": true, "price_per_unit": 0,
		"pixels_per_unit": 1_000_000, "url": runner(t), "capacity": 16}}
	text, err := json.Marshal(entry)
	if err == nil {
		err = os.WriteFile(models, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	addr, orchAdmin, gwAdmin, gw := harness.Address(t), harness.Address(t), harness.Address(t), harness.Address(t)
	orch := harness.Start(t, binary, "-orchestrator", "-transcoder", "-aiWorker", "-aiModels", models, "-serviceAddr",
		addr, "-httpAddr", addr,
		"-cliAddr", orchAdmin, "-monitor", "-aiAllowUnverified", "-maxSessions", "10000", "-v", "2", "-dataDir",
		filepath.Join(dir, "o"))
	orch.WaitHTTP("https://" + addr + "/healthz")
	front := harness.Start(t, binary, "-gateway", "-orchAddr", addr, "-httpAddr", gw, "-cliAddr", gwAdmin, "-monitor",
		"-v", "2",
		"-transcodingOptions", ladder, "-dataDir", filepath.Join(dir, "g"))
	front.WaitHTTP("http://" + gw + "/healthz")
	n := nodes{gateway: "http://" + gw, admins: []string{"http://" + orchAdmin, "http://" + gwAdmin},
		parts: []*harness.Process{orch, front}}
	orch.Wait("the model is ready", time.Minute, func() bool {
		status, _ := harness.Get(t, "https://"+addr+"/status")
		var l load
		l.chat(t.Context(), n, "warm", false)
		return status == http.StatusOK && l.answers.Load() == 1
	})
	return n
}

// runner is a model server that takes a moment per token.
func runner(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model"}]}`, model)
	})
	mux.HandleFunc("GET /health", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for i := range 40 {
			fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":%q,"+
				"\"choices\":[{\"index\":0,\"delta\":{\"content\":\"w%d \"},\"finish_reason\":null}]}\n\n", model, i)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
			}
		}
		fmt.Fprintf(w, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"model\":%q,"+
			"\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}],"+
			"\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":40,\"total_tokens\":43}}\n\ndata: [DONE]\n\n", model)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func segments(t *testing.T) []clip.Segment {
	t.Helper()
	out, err := clip.GenerateAll(t.Context(), clip.Options{Width: 256, Height: 144, FPSNum: 15, FPSDen: 1,
		Segments: 3, Bitrate: 150_000})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// load counts what was done.
type load struct {
	segments, answers, cut, seen, reloaded, failed atomic.Int64
	first                                          atomic.Value
}

func (l *load) fail(ctx context.Context, err error) {
	if ctx.Err() == nil {
		l.failed.Add(1)
		l.first.CompareAndSwap(nil, err.Error())
	}
}

// streams pushes one short stream after another, each under a new name.
func (l *load) streams(ctx context.Context, n nodes, client int, segs []clip.Segment) {
	for i := 0; ctx.Err() == nil; i++ {
		for _, s := range segs {
			if _, err := harness.Push(n.gateway, fmt.Sprintf("s%d-%d", client, i), fmt.Sprintf("%d.ts", s.Number), s.Data,
				s.Duration); err != nil {
				l.fail(ctx, err)
				break
			}
			l.segments.Add(1)
		}
		pause(ctx, 100*time.Millisecond)
	}
}

// chats asks, and leaves every second answer in its middle.
func (l *load) chats(ctx context.Context, n nodes, client int) {
	for i := 0; ctx.Err() == nil; i++ {
		l.chat(ctx, n, fmt.Sprintf("client %d, question %d", client, i), i%2 == 1)
		pause(ctx, 50*time.Millisecond)
	}
}

func (l *load) chat(ctx context.Context, n nodes, question string, leave bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	body := fmt.Sprintf(`{"model":%q,"stream":true,"max_tokens":64,"messages":[{"role":"user","content":%q}]}`, model,
		question)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, n.gateway+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		l.fail(ctx, err)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := harness.Client().Do(req)
	if err != nil {
		l.fail(ctx, err)
		return
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for got := 0; lines.Scan(); got++ {
		if leave && got > 10 {
			l.cut.Add(1)
			return
		}
		if strings.Contains(lines.Text(), "[DONE]") {
			l.answers.Add(1)
			return
		}
	}
	l.fail(ctx, fmt.Errorf("an answer of status %d without end: %v", resp.StatusCode, lines.Err()))
}

// pages looks at what an operator looks at, live pages included.
func (l *load) pages(ctx context.Context, n nodes) {
	for ctx.Err() == nil {
		for _, admin := range n.admins {
			for _, path := range []string{"/", "/metrics", "/api/v1/dashboard", "/api/v1/conditions", "/status"} {
				l.look(ctx, admin+path, 0)
			}
			l.look(ctx, admin+"/api/v1/events", time.Second)
		}
	}
}

// look reads a page whole, or a live one for a time.
func (l *load) look(ctx context.Context, url string, live time.Duration) {
	outer := ctx
	if live > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, live)
		defer cancel()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		l.fail(outer, err)
		return
	}
	resp, err := harness.Client().Do(req)
	if err != nil {
		if ctx.Err() == nil {
			l.fail(outer, err)
		}
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusOK {
		l.fail(outer, fmt.Errorf("%s: status %d", url, resp.StatusCode))
		return
	}
	l.seen.Add(1)
}

// reloads has the nodes read their configuration again.
func (l *load) reloads(ctx context.Context, n nodes) {
	for ctx.Err() == nil {
		pause(ctx, 2*time.Second)
		for _, p := range n.parts {
			p.Signal(syscall.SIGHUP)
		}
		l.reloaded.Add(1)
	}
}

// watch takes samples until the load ends.
func watch(ctx context.Context, t *testing.T, admin string) (all []sample) {
	for ctx.Err() == nil {
		pause(ctx, *every)
		status, body := harness.Get(t, admin+"/metrics")
		if status != http.StatusOK {
			t.Errorf("%s: status %d", admin, status)
			return all
		}
		s := sample{
			resident: value(body, "process_resident_memory_bytes"), goroutines: value(body, "go_goroutines"),
			files: value(body, "process_open_fds"),
		}
		if s.resident == 0 || s.goroutines == 0 || s.files == 0 {
			t.Errorf("%s tells no figures: %+v", admin, s)
			return all
		}
		all = append(all, s)
	}
	return all
}

// value is a metric without labels, 0 if it is not there.
func value(body []byte, name string) float64 {
	for line := range bytes.Lines(body) {
		if rest, ok := bytes.CutPrefix(line, []byte(name+" ")); ok {
			v, err := strconv.ParseFloat(string(bytes.TrimSpace(rest)), 64)
			if err == nil {
				return v
			}
		}
	}
	return 0
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
