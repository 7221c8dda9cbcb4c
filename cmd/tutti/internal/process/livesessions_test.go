package process

import (
	"crypto/rand"
	"encoding/gob"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/liverunner"
)

// The line between two processes takes what happens on either side, ends with the other process, and does not
// block when that one reads nothing any more.
func TestShare(t *testing.T) {
	t.Parallel()
	app := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer app.Close()
	live, err := liverunner.New(liverunner.Options{
		ServiceURI: "http://o.test", Now: time.Now, Rand: rand.Reader, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	const sessions = 3000
	if err := live.RegisterStatic(t.Context(), fmt.Appendf(nil, `{"runners":[{"label":"a","routing":"label","app":"x",`+
		`"runner_url":%q,"health_url":"/h","capacity":%d}]}`, app.URL, sessions)); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	live.Routes(mux)
	var ids []string
	for range sessions {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest("POST", "/apps/a/session", nil))
		_, rest, _ := strings.Cut(w.Body.String(), `"session_id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		ids = append(ids, id)
	}
	ours, theirs := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		run, _ := share((&Parts{Live: live}).linkBefore, ours, gob.NewDecoder(ours), gob.NewEncoder(ours))
		run()
	}()
	in, out := gob.NewDecoder(theirs), gob.NewEncoder(theirs)
	if err := out.Encode(liverunner.Update{Ended: ids[:1]}); err != nil {
		t.Fatal(err)
	}
	var n liverunner.Update
	if err := in.Decode(&n); err != nil || len(n.Ended) != 1 || n.Ended[0] != ids[0] {
		t.Error(n, err)
	}
	// From now on nothing is read there, and more ends than the line holds.
	_ = out.Encode(liverunner.Update{Ended: ids[1:]})
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Fatal("the line blocks")
	}
	if used, _ := live.Use(); used != 0 {
		t.Error(used, "sessions are left")
	}
}

// The last charges of requests are sent before the process ends, and what is flushed is none to the other process.
func TestFlush(t *testing.T) {
	t.Parallel()
	ours, theirs := net.Pipe()
	var send func(update)
	run, flush := share(func(to func(update)) link {
		send = to
		return link{receive: func(update) {}, close: func() {}}
	}, ours, gob.NewDecoder(ours), gob.NewEncoder(ours))
	const charges = 500
	for range charges {
		send(update{Late: []orchestrate.LateCharge{{ID: 1, Units: 1}}})
	}
	var got atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		in := gob.NewDecoder(theirs)
		for n := (update{}); in.Decode(&n) == nil; n = (update{}) {
			got.Add(int64(len(n.Late)))
		}
	}()
	running := make(chan struct{})
	go func() { run(); close(running) }()
	flush()
	_ = theirs.Close()
	<-running
	<-ended
	if n := got.Load(); n != charges {
		t.Errorf("%d of %d charges were sent", n, charges)
	}
	flush() // the other process is gone
}
