package registry_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/gateway/registry"
)

const (
	first  = "0x10742714f33f3d804e3fa489618b5c3ca12a6df7"
	second = "0x4a9b6c3d2e1f0a8b7c6d5e4f3a2b1c0d9e8f7a6b"
)

// scoresService answers with what it is set to.
type scoresService struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	body   string
	asked  int
}

func newScoresService(t *testing.T, body string) *scoresService {
	s := &scoresService{status: http.StatusOK, body: body}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked++
		w.WriteHeader(s.status)
		_, _ = w.Write([]byte(s.body))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *scoresService) answer(status int, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status, s.body = status, body
}

// scoresRig runs scores of a service.
type scoresRig struct {
	*registry.Scores
	board *health.Board
	mu    sync.Mutex
	clock time.Time
}

func (r *scoresRig) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clock
}

func (r *scoresRig) advance(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock = r.clock.Add(d)
}

func runScores(t *testing.T, url, region string) *scoresRig {
	t.Helper()
	r := &scoresRig{clock: time.Unix(1e9, 0)}
	r.board = health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	r.Scores = registry.NewScores(registry.ScoresOptions{URL: core.NewSecret(url), Region: region,
		ReadEvery: 5 * time.Millisecond, RetryAfter: 5 * time.Millisecond, Timeout: 3 * time.Second,
		Board: r.board, Log: slog.New(slog.DiscardHandler), Now: r.now})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx, func() {}) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *scoresRig) until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for late := time.After(20 * time.Second); !ok(); {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("no %s; %+v", what, r.board.Snapshot())
		}
	}
}

func (r *scoresRig) detail(code fault.Code) string {
	for _, c := range r.board.Snapshot() {
		if c.Code == code {
			return c.Detail
		}
	}
	return ""
}

func (r *scoresRig) has(t *testing.T, account string, want float64) func() bool {
	t.Helper()
	a, err := core.ParseAddress(account)
	if err != nil {
		t.Fatal(err)
	}
	return func() bool { got, ok := r.Score(a); return ok && got == want }
}

const leaderboard = `{"` + first + `":{"FRA":{"success_rate":1,"round_trip_score":0.74,"score":0.9},` +
	`"LAX":{"score":0.2}},
	"` + second + `":{"LAX":{"score":0.6},"FRA":{"score":1.5}},"none":{"FRA":{"score":1}},
	"0x0000000000000000000000000000000000000001":7,"0x0000000000000000000000000000000000000002":{"FRA":{"score":"x"}}}`

func TestScoresOfARegion(t *testing.T) {
	t.Parallel()
	s := newScoresService(t, leaderboard)
	r := runScores(t, s.URL, "fra")
	r.until(t, "score", r.has(t, first, 0.9))
	for _, other := range []string{second, "0x0000000000000000000000000000000000000001",
		"0x0000000000000000000000000000000000000002"} {
		if a, err := core.ParseAddress(other); err != nil {
			t.Error(err)
		} else if score, ok := r.Score(a); ok {
			t.Errorf("%s has the score %v", other, score)
		}
	}
	all := runScores(t, s.URL, "")
	all.until(t, "best score", all.has(t, first, 0.9))
	all.until(t, "score of the other", all.has(t, second, 0.6))
}

// A service that fails is a condition; the last scores stay for a day, and no longer.
func TestScoresOutliveTheService(t *testing.T) {
	t.Parallel()
	s := newScoresService(t, leaderboard)
	r := runScores(t, s.URL+"/?token=s3cr3t", "FRA")
	r.until(t, "score", r.has(t, first, 0.9))
	for _, tt := range []struct {
		status int
		body   string
		want   string
	}{
		{500, leaderboard, "status 500"},
		{302, leaderboard, "status 302"},
		{200, `{"` + first + `":{"MDW":{"score":1}}}`, "no score of an orchestrator in the region"},
		{200, "<html>s3cr3t", "is no JSON of scores"},
		{200, leaderboard[:len(leaderboard)-1], "is no JSON of scores"},
		{200, `{"a":"` + strings.Repeat("x", 9<<20) + `"}`, "larger than 8 MiB"},
	} {
		s.answer(tt.status, tt.body)
		r.until(t, "condition "+tt.want, func() bool {
			return strings.Contains(r.detail(fault.PerfScoresUnavailable), tt.want)
		})
		if strings.Contains(r.detail(fault.PerfScoresUnavailable), "s3cr3t") {
			t.Errorf("the condition shows a secret: %s", r.detail(fault.PerfScoresUnavailable))
		}
		if !r.has(t, first, 0.9)() {
			t.Errorf("%s: the last score is gone", tt.want)
		}
	}
	r.advance(25 * time.Hour)
	if r.has(t, first, 0.9)() {
		t.Error("a score of yesterday counts")
	}
	s.answer(200, leaderboard)
	r.until(t, "end of the condition", func() bool { return r.detail(fault.PerfScoresUnavailable) == "" })
	r.until(t, "new score", r.has(t, first, 0.9))
}

// A service that does not answer is given up, and Score never waits for it.
func TestScoresOfASilentService(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(hang); s.Close() })
	r := runScores(t, s.URL, "FRA")
	if r.has(t, first, 0.9)() {
		t.Error("a score without an answer")
	}
	r.until(t, "condition", func() bool { return strings.Contains(r.detail(fault.PerfScoresUnavailable), "in time") })
}

func TestOverruledUntilTheNextReading(t *testing.T) {
	t.Parallel()
	s := newScoresService(t, leaderboard)
	s.answer(503, "")
	r := runScores(t, s.URL, "FRA")
	r.until(t, "condition", func() bool { return r.detail(fault.PerfScoresUnavailable) != "" })
	r.Overruled()
	if r.detail(fault.PerfScoresOverruled) == "" {
		t.Fatal("no condition")
	}
	s.answer(200, leaderboard)
	r.until(t, "end", func() bool { return r.detail(fault.PerfScoresOverruled) == "" })
}
