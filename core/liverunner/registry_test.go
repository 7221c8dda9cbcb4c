package liverunner_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/liverunner"
)

// rig is a registry with a clock that the test moves.
type rig struct {
	*liverunner.Registry
	now   time.Time
	mu    sync.Mutex
	ended map[string]int
}

func newRig(secret string) *rig {
	g := &rig{now: time.Unix(1e9, 0), ended: make(map[string]int)}
	g.Registry = liverunner.NewRegistry(liverunner.Options{
		Secret: secret, Idle: time.Minute, Rand: rand.Reader, Now: func() time.Time { return g.now },
		Reserved: func(*liverunner.Session) {},
		Released: func(s *liverunner.Session) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.ended[s.ID]++
		},
	})
	return g
}

func heartbeat(t *testing.T, more string) liverunner.Heartbeat {
	t.Helper()
	h, err := liverunner.ParseHeartbeat(
		[]byte(`{"runner_url":"http://runner.test:9000","app":"demo/x","capacity":2`+more+`}`), liverunner.Free,
	)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func refused(t *testing.T, err error, text string) {
	t.Helper()
	var r *liverunner.Refusal
	if !errors.As(err, &r) || r.Text != text {
		t.Errorf("%v, want %q", err, text)
	}
}

func TestADynamicRunner(t *testing.T) {
	t.Parallel()
	g := newRig("topsecret")
	_, err := g.Beat(heartbeat(t, ""), "wrong")
	refused(t, err, "invalid registration authorization")
	first, err := g.Beat(heartbeat(t, ""), "topsecret")
	if err != nil || len(first.Secret) != 52 || !strings.HasPrefix(first.Runner.ID, "runner_") ||
		len(first.Runner.ID) != 15 {
		t.Fatalf("%+v, %v", first, err)
	}
	id := first.Runner.ID
	again := heartbeat(t, `,"runner_id":"`+id+`"`)
	_, err = g.Beat(again, "topsecret")
	refused(t, err, "invalid heartbeat authorization")
	s, _, err := g.Reserve(id, liverunner.Persistent, "")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := g.Beat(again, first.Secret); err != nil || len(b.Sessions) != 1 || b.Sessions[0] != s.ID ||
		b.Secret != "" {
		t.Errorf("%+v, %v", b, err)
	}

	// Another status: it takes nothing, and its sessions come back with it.
	if _, err := g.Beat(heartbeat(t, `,"status":"draining","runner_id":"`+id+`"`), first.Secret); err != nil {
		t.Fatal(err)
	}
	_, _, err = g.Reserve(id, liverunner.Persistent, "")
	refused(t, err, "runner not found")
	_, err = g.Session(id, s.ID)
	refused(t, err, "runner not found")
	if _, err := g.Beat(again, first.Secret); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Session(id, s.ID); err != nil {
		t.Error(err)
	}

	// Silence ends it and its sessions.
	g.now = g.now.Add(liverunner.HeartbeatTTL)
	_, err = g.Session(id, s.ID)
	refused(t, err, "runner not found")
	if lost := g.Sweep(); len(lost) != 1 || g.ended[s.ID] != 1 || s.Context().Err() == nil {
		t.Errorf("%v %v", lost, g.ended)
	}
	_, err = g.Beat(again, first.Secret)
	refused(t, err, "runner not found")
	_, err = g.Beat(again, "topsecret")
	refused(t, err, "runner not found")
	g.now = g.now.Add(5 * time.Second)
	if lost := g.Sweep(); len(lost) > 0 {
		t.Error("lost twice", lost)
	}
	if b, err := g.Beat(again, "topsecret"); err != nil || b.Runner.ID != id || b.Secret == first.Secret {
		t.Errorf("%+v, %v", b, err)
	}
	refused(t, g.Unregister(id, "topsecret", nil), "invalid authorization")
}

func TestWithoutASecretNoRunnerRegistersItself(t *testing.T) {
	t.Parallel()
	g := newRig("")
	_, err := g.Beat(heartbeat(t, ""), "")
	refused(t, err, "dynamic live runner registration is disabled")
}

// What is kept of a registration is bounded, whichever of its texts is long.
func TestLongTextsAreRefused(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1025)
	for _, body := range []string{
		`{"runner_url":"http://r/","app":"` + long + `"}`,
		`{"runner_url":"http://r/","app":"x","version":"` + long + `"}`,
		`{"runner_url":"http://r/` + long + `","app":"x"}`,
		`{"runner_url":"http://r/","app":"x","gpu":{"id":"` + long + `"}}`,
		`{"runner_url":"http://r/","app":"x","gpu":{"id":"0","name":"` + long + `"}}`,
	} {
		if _, err := liverunner.ParseHeartbeat([]byte(body), liverunner.Free); err == nil {
			t.Errorf("%.60s was taken", body)
		}
	}
}

func static(t *testing.T, more string) []liverunner.Spec {
	t.Helper()
	specs, err := liverunner.ParseStatic([]byte(
		`{"runners":[{"label":"x","runner_url":"http://runner.test:9000/base","health_url":"/health",`+
			`"app":"demo/x"`+more+`}]}`,
	), liverunner.Free)
	if err != nil {
		t.Fatal(err)
	}
	return specs
}

func TestAStaticRunner(t *testing.T) {
	t.Parallel()
	g := newRig("topsecret")
	specs := static(t, "")
	if got := specs[0].Health.String(); got != "http://runner.test:9000/base/health" {
		t.Error(got)
	}
	list, err := g.Register(specs)
	if err != nil {
		t.Fatal(err)
	}
	id := list[0].ID
	_, _, err = g.Reserve(id, liverunner.Persistent, "")
	refused(t, err, "runner not found") // not known to be healthy yet
	g.SetHealth(id, true)
	s, _, err := g.Reserve(id, liverunner.Persistent, "")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = g.Reserve(id, liverunner.Persistent, "")
	refused(t, err, "no capacity available for runner")
	_, _, err = g.Reserve(id, liverunner.SingleShot, "")
	refused(t, err, "runner is not single-shot")
	// The same label again keeps id and sessions.
	if list, err = g.Register(static(t, `,"capacity":3`)); err != nil || list[0].ID != id || list[0].Used != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	_, err = g.Beat(heartbeat(t, `,"runner_id":"`+id+`"`), "topsecret")
	refused(t, err, "static runner cannot heartbeat")
	g.SetHealth(id, false)
	if g.ended[s.ID] != 1 {
		t.Error("its session goes on")
	}
	// A label in its paths.
	if list, err = g.Register(static(t, `,"routing":"label"`)); err != nil || list[0].Route != "x" || list[0].ID != id {
		t.Errorf("%+v, %v", list, err)
	}
	g.SetHealth(id, true)
	if _, _, err := g.Reserve("x", liverunner.Persistent, ""); err != nil {
		t.Error(err)
	}
	_, _, err = g.Reserve(id, liverunner.Persistent, "")
	refused(t, err, "runner not found")
}

// A session without requests for long ends; one that is in use does not.
func TestSessionsWithoutUseEnd(t *testing.T) {
	t.Parallel()
	g := newRig("")
	list, err := g.Register(static(t, `,"capacity":2`))
	if err != nil {
		t.Fatal(err)
	}
	g.SetHealth(list[0].ID, true)
	var all [2]*liverunner.Session
	for i := range all {
		if all[i], _, err = g.Reserve(list[0].ID, liverunner.Persistent, ""); err != nil {
			t.Fatal(err)
		}
	}
	done := all[0].Use(func() time.Time { return g.now })
	g.now = g.now.Add(time.Minute)
	g.Sweep()
	if g.ended[all[0].ID] != 0 || g.ended[all[1].ID] != 1 {
		t.Error(g.ended)
	}
	done()
	g.now = g.now.Add(time.Minute - 1)
	if g.Sweep(); g.ended[all[0].ID] != 0 {
		t.Error("it ended early")
	}
	g.now = g.now.Add(1)
	if g.Sweep(); g.ended[all[0].ID] != 1 {
		t.Error("it goes on")
	}
}

// However sessions end, and by however many at once, each ends once and gives its slot back once.
func TestEachSessionEndsOnce(t *testing.T) {
	t.Parallel()
	g := newRig("")
	list, err := g.Register(static(t, `,"capacity":50`))
	if err != nil {
		t.Fatal(err)
	}
	id := list[0].ID
	g.SetHealth(id, true)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for range 200 {
				s, _, err := g.Reserve(id, liverunner.Persistent, "")
				if err != nil {
					continue
				}
				var both sync.WaitGroup
				for range 2 {
					both.Go(func() { _ = g.Stop(id, s.ID) })
				}
				if n == 0 {
					g.SetHealth(id, false)
					g.SetHealth(id, true)
				}
				both.Wait()
			}
		})
	}
	wg.Wait()
	for s, n := range g.ended {
		if n != 1 {
			t.Errorf("%s ended %d times", s, n)
		}
	}
	if used := g.Runners()[0].Used; used != 0 {
		t.Errorf("%d slots are taken", used)
	}
	g.Close()
}

func FuzzRegistrations(f *testing.F) {
	f.Add([]byte(`{"runners":[{"label":"x","runner_url":"http://r","health_url":"/h","app":"a","gpu":0}]}`))
	f.Add([]byte(`{"runners":[{"label":"x","runner_url":"http://r","health_url":"/h","app":"a",` +
		`"command":["p","-x"],"env":{"A":"b"},"gpus":1,"gpu_ids":["0"],"memory_mb":5}]}`))
	f.Add([]byte(`{"runner_url":"http://r:1/%2e","app":"a","gpu":{"id":"0","vram_mb":1e3},"runner_id":"a-b"}`))
	f.Add([]byte(`{"runner_url":"http://r","app":"a","price_info":{"price":"1.5","currency":"USD","unit":"720p"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if h, err := liverunner.ParseHeartbeat(data, liverunner.Paid); err == nil {
			if wei, err := h.Spec.Price.Wei(usd); !h.Spec.Price.IsSet() || err == nil && wei.PerUnit <= 0 {
				t.Errorf("a price of %v, %v wei", h.Spec.Price, wei)
			}
		}
		if specs, err := liverunner.ParseStatic(data, liverunner.Free); err == nil {
			for _, s := range specs {
				if s.URL == nil || s.Health == nil || s.Capacity < 1 || s.Label == "" ||
					s.Program != nil && (len(s.Program.Command) == 0 || s.Program.GPUs < 0 || s.Program.MemoryBytes < 0) {
					t.Errorf("%+v", s)
				}
			}
		}
		if h, err := liverunner.ParseHeartbeat(data, liverunner.Free); err == nil {
			if h.Spec.URL.Hostname() == "" || h.Spec.Capacity < 1 || h.ID != "" && !liverunner.ValidName(h.ID) ||
				h.Spec.Program != nil {
				t.Errorf("%+v", h)
			}
			_ = fmt.Sprint(h)
		}
	})
}
