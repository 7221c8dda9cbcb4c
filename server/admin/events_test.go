package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/server/admin"
)

// events reads a stream of events: name and data.
func events(t *testing.T, client *http.Client) (next func() (name, data string, ok bool), leave func()) {
	t.Helper()
	res, err := client.Get("http://localhost" + adminapi.PathEvents)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s %v", res.Status, res.Header)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return func() (name, data string, ok bool) {
		for lines.Scan() {
			if n, is := strings.CutPrefix(lines.Text(), "event: "); is {
				name = n
			} else if d, is := strings.CutPrefix(lines.Text(), "data: "); is {
				return name, d, true
			}
		}
		return "", "", false
	}, func() { _ = res.Body.Close() }
}

// counted counts how often a part of the dashboard is requested.
type counted struct {
	mu    sync.Mutex
	asked int
}

func (c *counted) Models() []adminapi.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	return nil
}

func (c *counted) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}

// A stream begins with everything, says what changes, and ends with the listener,
// which does not wait for it.
func TestEvents(t *testing.T) {
	t.Parallel()
	board := health.New(slog.New(slog.DiscardHandler), time.Now, nil)
	parts := &counted{}
	st := newStation(t, func(o *admin.Options) {
		o.Listen, o.Node.Conditions, o.Work.ModelStates = "127.0.0.1:0", board.Snapshot, parts.Models
	})
	client, stop := start(t, st, byAddr)
	next, leave := events(t, client)
	defer leave()
	name, data, _ := next()
	var whole adminapi.Dashboard
	if err := json.Unmarshal([]byte(data), &whole); err != nil || name != adminapi.EventWhole ||
		whole.Node.Version != "1.2.3" || len(whole.Conditions) != 0 {
		t.Fatalf("%s %s %v", name, data, err)
	}
	board.Set(health.Key{Code: fault.PortClosed}, "no answer")
	var update struct {
		Problems []adminapi.RatedCondition `json:"troubles"`
		Node     *adminapi.Node            `json:"node"`
		Log      []adminapi.LogEntry       `json:"log"`
	}
	name, data, _ = next()
	if err := json.Unmarshal([]byte(data), &update); err != nil || name != adminapi.EventUpdate ||
		len(update.Problems) != 1 ||
		update.Node != nil {
		t.Fatalf("%s %s %v", name, data, err)
	}
	if got := update.Problems[0]; got.Code != string(fault.PortClosed) || got.Severity != fault.Critical.String() ||
		got.Remedy == "" || got.Detail != "no answer" {
		t.Errorf("%+v", got)
	}
	begun := time.Now()
	stop()
	if took := time.Since(begun); took >= 2*time.Second {
		t.Errorf("the listener waited %v for a dashboard", took)
	}
	if _, _, ok := next(); ok {
		t.Error("the stream goes on")
	}
}

// A stream goes on until its reader leaves: reads are bounded in time, it is not.
func TestEventsGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStation(t, nil)
		ctx, leave := context.WithTimeout(t.Context(), time.Hour)
		defer leave()
		r := httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1:7935"+adminapi.PathEvents, nil)
		r.RemoteAddr = "127.0.0.1:1"
		begun, rec := time.Now(), httptest.NewRecorder()
		st.Handler().ServeHTTP(rec, r)
		if took := time.Since(begun); rec.Code != 200 || took != time.Hour {
			t.Errorf("status %d after %v", rec.Code, took)
		}
	})
}

// A hundred dashboards and a hundred looks cost one document a second.
func TestManyDashboardsAreOne(t *testing.T) {
	t.Parallel()
	parts := &counted{}
	st := newStation(t, func(o *admin.Options) { o.Listen, o.Work.ModelStates = "127.0.0.1:0", parts.Models })
	client, stop := start(t, st, byAddr)
	defer stop()
	begun := time.Now()
	for range 100 {
		next, leave := events(t, client)
		defer leave()
		if name, _, _ := next(); name != adminapi.EventWhole {
			t.Fatal(name)
		}
	}
	for range 100 {
		if got := st.get(adminapi.PathDashboard); got.Code != 200 {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
	}
	if most := 2 + int(time.Since(begun)/(800*time.Millisecond)); parts.count() > most {
		t.Errorf("made %d times, at most %d", parts.count(), most)
	}
}
