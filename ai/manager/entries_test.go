package manager_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

func warm(id string) manager.Entry { return manager.Entry{Model: llm(id), Warm: true} }

// order is the models in the order of the entries.
func (r *rig) order() (ids []string) {
	for _, s := range r.m.Models() {
		ids = append(ids, s.Model.ID)
	}
	return ids
}

// TestReplaceLeavesTheRestAlone: what stays is neither stopped nor started again, what
// comes is started, and jobs go on.
func TestReplaceLeavesTheRestAlone(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		h.servers["http://one:8000"] = &program{slots: 4}
		server := manager.Entry{Model: llm("s"), URL: "http://one:8000"}
		r := begin(t, h, manager.Options{Entries: []manager.Entry{warm("a"), server}, ContainersPerGPU: 4})
		after(time.Second)
		slot, reply := r.hold("a")
		r.m.Replace([]manager.Entry{server, warm("b"), warm("a"), {Model: llm("c")}})
		after(5 * time.Second)
		r.state("a", inference.Ready, "")
		r.state("b", inference.Ready, "")
		r.state("s", inference.Ready, "")
		r.state("c", inference.Absent, "")
		for i, id := range []string{"s", "b", "a", "c"} {
			if got := r.order(); len(got) != 4 || got[i] != id {
				t.Fatalf("order %v", got)
			}
		}
		if h.created["a"] != 1 || h.removed["a"] != 0 {
			t.Errorf("the container of a: %d made, %d removed", h.created["a"], h.removed["a"])
		}
		if err := reply.Body.Close(); err != nil {
			t.Error(err)
		}
		slot.Release()
		for _, id := range []string{"a", "b", "c", "s"} {
			r.job(id)
		}
		r.end()
	})
}

// TestReplaceEndsWhatWasRemoved: new jobs are refused at once, the one that runs ends by
// itself, and the container stays until then.
func TestReplaceEndsWhatWasRemoved(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{Entries: []manager.Entry{warm("a"), warm("b")}, ContainersPerGPU: 2})
		after(time.Second)
		slot, reply := r.hold("a")
		r.m.Replace([]manager.Entry{warm("b")})
		after(time.Minute)
		if err := r.try("a", time.Second); !errors.Is(err, fault.ModelNotServed) {
			t.Errorf("a job for a removed model: %v", err)
		}
		if got := r.order(); len(got) != 1 || h.removed["a"] != 0 {
			t.Errorf("%v, %d removed while a job runs", got, h.removed["a"])
		}
		if _, err := reply.Body.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
			t.Errorf("the job of the removed model: %v", err)
		}
		_ = reply.Body.Close()
		slot.Release()
		after(time.Minute)
		if h.removed["a"] != 1 || h.left() != 1 {
			t.Errorf("%d removed, %d left", h.removed["a"], h.left())
		}
		r.m.Replace([]manager.Entry{warm("b"), warm("a")})
		after(time.Second)
		r.state("a", inference.Ready, "")
		r.m.Replace(nil)
		after(time.Minute)
		if h.left() != 0 || len(r.m.Models()) != 0 {
			t.Errorf("%d containers, %d models of no entries", h.left(), len(r.m.Models()))
		}
		r.m.Replace([]manager.Entry{warm("a")})
		after(time.Second)
		r.job("a")
		r.end()
	})
}

// TestReplaceGivesThePlaceOn: a changed entry takes the GPU of its former self, and waits
// while that has a job. Jobs that come meanwhile wait for it.
func TestReplaceGivesThePlaceOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, manager.Options{Entries: []manager.Entry{warm("a")},
			Devices: []manager.Device{{ID: "0", MemoryBytes: 24 << 30}}})
		after(time.Second)
		slot, reply := r.hold("a")
		next := warm("a")
		next.MemoryBytes = 20 << 30
		r.m.Replace([]manager.Entry{next})
		after(time.Minute)
		r.state("a", inference.Starting, "")
		got := make(chan error, 1)
		go func() { got <- r.try("a", time.Hour) }()
		after(time.Minute)
		_ = reply.Body.Close()
		slot.Release()
		after(time.Minute)
		r.state("a", inference.Ready, "")
		if err := <-got; err != nil {
			t.Errorf("a job that came meanwhile: %v", err)
		}
		if h.created["a"] != 2 || h.most["0"] != 1 {
			t.Errorf("%d containers made, %d at once on the GPU", h.created["a"], h.most["0"])
		}
		r.end()
	})
}

// TestReplaceBeforeTheStart: what is replaced before Run was never there.
func TestReplaceBeforeTheStart(t *testing.T) {
	t.Parallel()
	m := manager.New(manager.Options{Entries: []manager.Entry{warm("a"), warm("b")}})
	m.Replace([]manager.Entry{warm("b"), warm("c")})
	if s := m.Models(); len(s) != 2 || s[0].Model != llm("b") || s[1].Model != llm("c") {
		t.Errorf("%+v", s)
	}
}

// TestSetWarm: a model is loaded and unloaded by hand, and stays so over a reload that
// does not change its entry's own word.
func TestSetWarm(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		entries := []manager.Entry{warm("a"), {Model: llm("c")}}
		r := begin(t, h, manager.Options{Entries: entries, ContainersPerGPU: 4})
		after(time.Second)
		r.state("c", inference.Absent, "")
		r.m.SetWarm(llm("c"), true)
		r.m.SetWarm(llm("a"), false)
		after(time.Minute)
		if s := r.state("c", inference.Ready, ""); !s.Warm {
			t.Error("c is not warm")
		}
		r.state("a", inference.Absent, "")
		if h.left() != 1 {
			t.Errorf("%d containers", h.left())
		}
		r.m.Replace(append(entries, warm("b")))
		after(time.Minute)
		r.state("c", inference.Ready, "")
		r.state("a", inference.Absent, "")
		if h.created["c"] != 1 {
			t.Errorf("c was started %d times", h.created["c"])
		}
		r.job("a") // a job loads it again
		r.m.Replace([]manager.Entry{{Model: llm("a")}, {Model: llm("c")}})
		r.m.Replace(entries)
		after(time.Minute)
		r.state("a", inference.Ready, "")
		r.end()
	})
}
