package manager_test

import (
	"io"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

const (
	urlOne = "http://one:8000"
	urlTwo = "http://two:8000"
)

// servers are two servers of one model, as they behave.
func servers(h *host, one, two *program) manager.Options {
	h.servers[urlOne], h.servers[urlTwo] = one, two
	return manager.Options{Entries: []manager.Entry{
		{Model: llm("a"), URL: urlOne, Warm: true}, {Model: llm("a"), URL: urlTwo, Warm: true},
	}}
}

// run does a job and reads its answer.
func (r *rig) run(op inference.Operation) (status int, answer string, err error) {
	r.t.Helper()
	slot, err := r.m.Reserve(r.t.Context(), llm("a"), "party")
	if err != nil {
		r.t.Fatal(err)
	}
	defer slot.Release()
	reply, err := slot.Run(r.t.Context(), &inference.Job{Model: llm("a"), Operation: op})
	if err != nil {
		return 0, "", err
	}
	defer reply.Body.Close()
	b, err := io.ReadAll(reply.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return reply.Status, string(b), nil
}

// jobsOf is how many jobs a server was sent.
func (h *host) jobsOf(url string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.servers[url].jobs
}

// A runner that refuses what the other one does costs no job its answer, and gets few.
func TestOneRunnersRefusal(t *testing.T) {
	for name, refuse := range map[string]func(*program){
		"a status": func(p *program) { p.refuses = 400 },
		"a fault":  func(p *program) { p.refusal = fault.New(fault.OperationUnsupported, "run", "") },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				h := newHost()
				r := begin(t, h, servers(h, &program{slots: 4}, &program{slots: 4}))
				after(time.Second)
				_, liar, _ := r.run(inference.Chat) // an idle node gives it all jobs
				h.change(liar, refuse)
				for range 60 {
					if status, text, err := r.run(inference.Chat); status != 200 || text == liar {
						t.Fatalf("%d %q %v", status, text, err)
					}
					after(50 * time.Millisecond)
				}
				if n := h.jobsOf(liar); n < 2 || n > 7 {
					t.Errorf("%d of 60 jobs went to the one that refuses all", n-1)
				}
				r.end()
			})
		})
	}
}

// What two runners refuse is refused, and a single one is believed where no other has a free slot.
func TestTwoRunnersRefusals(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, servers(h, &program{slots: 1, refuses: 422}, &program{slots: 1, refuses: 422}))
		after(time.Second)
		for range 10 {
			if status, _, err := r.run(inference.Chat); status != 422 {
				t.Fatalf("%d %v", status, err)
			}
		}
		if one, two := h.jobsOf(urlOne), h.jobsOf(urlTwo); one != 10 || two != 10 {
			t.Errorf("%d and %d jobs", one, two)
		}
		h.change(urlTwo, func(p *program) { p.down = true })
		after(time.Minute)
		if status, _, err := r.run(inference.Chat); status != 422 {
			t.Errorf("%d %v", status, err)
		}
		r.idle()
		h.change(urlTwo, func(p *program) { p.down = false })
		after(time.Minute)
		r.end()
	})
}

// Of two servers one embeds: all embeddings are its own, and are offered.
func TestAnOperationOfOneRunner(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, servers(h, &program{slots: 4},
			&program{slots: 1, operations: []inference.Operation{inference.Chat, inference.Embedding}}))
		after(time.Second)
		if s := r.state("a", inference.Ready, ""); !inference.Does(s.Operations, inference.Embedding) {
			t.Errorf("offered: %v", s.Operations)
		}
		for range 20 {
			if status, text, err := r.run(inference.Embedding); status != 200 || text != urlTwo {
				t.Fatalf("%d %q %v", status, text, err)
			}
		}
		if n := h.jobsOf(urlOne); n != 0 {
			t.Errorf("%d embeddings went to the one that only chats", n)
		}
		// While its one slot is taken, a second embedding waits for it.
		slot, err := r.m.Reserve(t.Context(), llm("a"), "party")
		if err != nil {
			t.Fatal(err)
		}
		first, err := slot.Run(t.Context(), &inference.Job{Model: llm("a"), Operation: inference.Embedding})
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Second, func() { _ = first.Body.Close() })
		if status, text, err := r.run(inference.Embedding); status != 200 || text != urlTwo {
			t.Errorf("%d %q %v", status, text, err)
		}
		r.end()
	})
}

// A job whose runner cannot be reached is done by the other one.
func TestAJobOfAGoneRunner(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		h := newHost()
		r := begin(t, h, servers(h, &program{slots: 4}, &program{slots: 4}))
		after(time.Second)
		h.change(urlOne, func(p *program) { p.down = true })
		for range 4 {
			if status, text, err := r.run(inference.Chat); status != 200 || text != urlTwo {
				t.Fatalf("%d %q %v", status, text, err)
			}
		}
		h.change(urlOne, func(p *program) { p.down = false })
		after(time.Minute)
		r.end()
	})
}
