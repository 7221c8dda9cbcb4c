package manager_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/backend"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

func external(h *host, p *program, capacity int) manager.Options {
	h.servers["http://one:8000"] = p
	return manager.Options{Entries: []manager.Entry{{Model: llm("a"), URL: "http://one:8000", Warm: true,
		Capacity: capacity}}}
}

// TestAServerIsProbedForLife: it may come late, go, come back with other slots
// and another model, and is never touched.
func TestAServerIsProbedForLife(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		p := &program{down: true, slots: 4}
		r := begin(t, h, external(h, p, 0))
		change := func(f func(*program)) { h.change("http://one:8000", f) }
		s := r.state("a", inference.Failed, fault.RunnerUnreachable)
		if s.Offered() || !s.External {
			t.Errorf("%+v", s)
		}
		if err := r.try("a", time.Minute); !errors.Is(err, fault.RunnerUnreachable) {
			t.Errorf("got %v", err)
		}
		after(time.Hour)
		if p.probes < 240 || p.probes > 246 {
			t.Errorf("%d probes in an hour", p.probes)
		}
		change(func(p *program) { p.down, p.missing = false, true })
		after(16 * time.Second)
		if s := r.state("a", inference.Failed, fault.RunnerModelMissing); s.Reason != "the server has: other-model" {
			t.Errorf("%+v", s)
		}
		change(func(p *program) { p.missing, p.health = false, backend.Loading })
		after(16 * time.Second)
		r.state("a", inference.Loading, fault.RunnerModelMissing)
		change(func(p *program) { p.health = "" })
		after(time.Second)
		if s := r.state("a", inference.Ready, ""); s.Capacity != 4 || !s.Offered() {
			t.Errorf("%+v", s)
		}
		r.job("a")
		change(func(p *program) { p.slots, p.version = 16, "b7000" })
		after(5 * time.Second)
		if s := r.state("a", inference.Ready, ""); s.Capacity != 16 || s.RunnerVersion != "b7000" {
			t.Errorf("%+v", s)
		}
		change(func(p *program) { p.health = backend.Error })
		after(5 * time.Second)
		r.state("a", inference.Failed, fault.ModelUnhealthy)
		change(func(p *program) { p.health = "" })
		after(18 * time.Second)
		r.state("a", inference.Ready, "")
		change(func(p *program) { p.stuck = true })
		after(16 * time.Second)
		r.state("a", inference.Failed, fault.RunnerStalled)
		change(func(p *program) { p.stuck = false })
		after(18 * time.Second)
		r.state("a", inference.Ready, "")
		r.end()
		if len(h.created)+len(h.removed) != 0 || h.swept != 0 {
			t.Error("the engine was asked for an external entry")
		}
	})
}

func TestSlotsOfServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name           string
		slots          int
		assumed        bool
		capacity, want int
	}{
		{"not reported", 0, false, 0, 1},
		{"the server says", 16, false, 0, 16},
		{"the entry bounds it", 16, false, 4, 4},
		{"the entry says more than there are", 4, false, 16, 4},
		{"only the entry says", 0, false, 3, 3},
		{"the entry knows better than a guess", 1, true, 6, 6},
		{"a guess is better than nothing", 2, true, 0, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h := newHost()
				r := begin(t, h, external(h, &program{slots: tt.slots, assumed: tt.assumed}, tt.capacity))
				if s := r.state("a", inference.Ready, ""); s.Capacity != tt.want {
					t.Errorf("capacity %d, want %d", s.Capacity, tt.want)
				}
				r.end()
			})
		})
	}
}

// TestServersOfOneModelShareItsJobs: each gets what it has slots for, the one with
// less to do first.
func TestServersOfOneModelShareItsJobs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.servers["http://one:8000"], h.servers["http://two:8000"] = &program{slots: 1}, &program{slots: 3}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{
			{Model: llm("a"), URL: "http://one:8000"}, {Model: llm("a"), URL: "http://two:8000"},
		}})
		got := map[string]int{}
		for range 4 {
			_, reply := r.hold("a")
			buf := make([]byte, 100)
			n, _ := reply.Body.Read(buf)
			got[string(buf[:n])]++
			if "http://"+reply.Worker != string(buf[:n]) {
				t.Errorf("the worker is called %q", reply.Worker)
			}
		}
		if got["http://one:8000"] != 1 || got["http://two:8000"] != 3 {
			t.Errorf("%v", got)
		}
		h.change("http://two:8000", func(p *program) { p.down = true })
		after(7 * time.Second)
		if s := r.state("a", inference.Ready, ""); s.Capacity != 1 || s.InUse != 4 {
			t.Errorf("%+v", s)
		}
		if err := r.try("a", time.Second); !errors.Is(err, fault.ModelWaitOver) {
			t.Errorf("got %v", err)
		}
		r.cancel()
		<-r.done
	})
}

// TestModelsOfOneNameAtOneServer are two runners, which records name apart. A name that the server does not list is
// a condition while it works, with the reasons of both, and ends when it is listed.
func TestModelsOfOneNameAtOneServer(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		const url = "http://one:8000"
		h.servers[url] = &program{slots: 1, unlisted: "no such name"}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{
			{Model: llm("a"), URL: url, ServedModel: "a:small"}, {Model: llm("a"), URL: url, ServedModel: "a:large"},
		}})
		if s := r.state("a", inference.Ready, ""); s.Capacity != 2 {
			t.Errorf("%+v", s)
		}
		got := map[string]bool{}
		for range 2 {
			_, reply := r.hold("a")
			got[reply.Worker] = true
		}
		if !got["a:small at one:8000"] || !got["a:large at one:8000"] {
			t.Errorf("workers %v", got)
		}
		all := r.board.Snapshot()
		if len(all) != 1 || all[0].Code != fault.ServedModelUnlisted || all[0].Detail != "no such name" {
			t.Errorf("%+v", all)
		}
		h.change(url, func(p *program) { p.unlisted = "" })
		after(6 * time.Second)
		if all := r.board.Snapshot(); len(all) != 0 {
			t.Errorf("%+v", all)
		}
		r.cancel()
		<-r.done
	})
}

// TestARunnerOfAnotherRelease works and is complained of once, until it is
// replaced. What other kinds of servers call their release is their own matter.
func TestARunnerOfAnotherRelease(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.servers["http://old:1"] = &program{kind: backend.Contract, version: "0.9.2", slots: 1}
		h.servers["http://other:1"] = &program{kind: backend.VLLM, version: "0.9.2", slots: 1}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{
			{Model: llm("old"), URL: "http://old:1"}, {Model: llm("other"), URL: "http://other:1"},
		}})
		after(time.Minute)
		r.state("old", inference.Ready, "")
		r.state("other", inference.Ready, "")
		all := r.board.Snapshot()
		if len(all) != 1 || all[0].Code != fault.RunnerVersionMismatch || all[0].About != "llm old" {
			t.Errorf("%+v", all)
		}
		if n := r.log.count("RunnerVersionMismatch"); n != 1 {
			t.Errorf("told %d times", n)
		}
		h.mu.Lock()
		h.servers["http://old:1"].version = "0.14.7"
		h.mu.Unlock()
		after(time.Minute)
		if all := r.board.Snapshot(); len(all) != 0 {
			t.Errorf("%+v", all)
		}
		r.end()
	})
}
