package inference_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fairqueue"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func model(id string) inference.Model { return inference.Model{Capability: capability.LLM, ID: id} }

// member is a worker with one model.
type member struct {
	name  string
	queue *fairqueue.Queue

	mu    sync.Mutex
	state inference.ModelState
	// refuse is what Reserve says, fails what Run says; nil is success.
	refuse, fails error
	// says is the answer, where it is another than a good one.
	says       *inference.Reply
	asked, ran int
}

func newMember(name string, state inference.State, slots int) *member {
	return &member{name: name, queue: fairqueue.New(fairqueue.Options{Slots: slots, MaxWaiting: 16}),
		state: inference.ModelState{Model: model("m"), State: state, Capacity: slots}}
}

func (m *member) Models() []inference.ModelState {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.state
	stats := m.queue.Stats()
	s.InUse, s.Waiting = stats.InUse, stats.Waiting
	return []inference.ModelState{s}
}

func (m *member) Reserve(ctx context.Context, id inference.Model, party string) (inference.Slot, error) {
	m.mu.Lock()
	m.asked++
	err := m.refuse
	m.mu.Unlock()
	if err != nil {
		return nil, err
	}
	release, err := m.queue.Acquire(ctx, party)
	if err != nil {
		return nil, fault.Wrap(fault.ModelWaitOver, "", err)
	}
	return &memberSlot{m, release}, nil
}

type memberSlot struct {
	m       *member
	release func()
}

func (s *memberSlot) Release() { s.release() }

func (s *memberSlot) Run(context.Context, *inference.Job) (*inference.Reply, error) {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	s.m.ran++
	if s.m.fails != nil {
		return nil, s.m.fails
	}
	if s.m.says != nil {
		return s.m.says, nil
	}
	return &inference.Reply{Status: 200, Worker: s.m.name}, nil
}

func (m *member) become(s inference.State, slots int) {
	m.mu.Lock()
	m.state.State, m.state.Capacity = s, slots
	m.mu.Unlock()
	m.queue.Resize(slots)
}

// pass lets a bubble's time pass.
func pass(d time.Duration) { <-time.After(d) }

// took is the member of a slot.
func took(t *testing.T, s inference.Slot, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Worker
}

func TestTheLeastLoadedIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newMember("a", inference.Ready, 4), newMember("b", inference.Ready, 2)
		f := inference.NewFleet(a, b)
		var got []string
		for range 6 {
			s, err := f.Reserve(t.Context(), model("m"), "p")
			got = append(got, took(t, s, err))
		}
		if want := []string{"a", "b", "a", "a", "b", "a"}; !slices.Equal(got, want) {
			t.Errorf("%v", got)
		}
	})
}

func TestNoMemberIsStartedWhileAnotherIsWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cold, warm := newMember("cold", inference.Absent, 1), newMember("warm", inference.Ready, 1)
		f := inference.NewFleet(cold, warm)
		first, err := f.Reserve(t.Context(), model("m"), "p")
		if name := took(t, first, err); name != "warm" {
			t.Error(name)
		}
		second := make(chan string)
		go func() {
			s, err := f.Reserve(t.Context(), model("m"), "p")
			second <- took(t, s, err)
		}()
		pass(time.Second)
		first.Release()
		if name := <-second; name != "warm" || cold.asked != 0 {
			t.Errorf("%s, the cold one was asked %d times", name, cold.asked)
		}
	})
}

func TestAColdOneIsStartedWhereNoneIsWarm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed, cold := newMember("failed", inference.Failed, 1), newMember("cold", inference.Absent, 1)
		other := newMember("other", inference.Absent, 1)
		f := inference.NewFleet(failed, cold, other)
		s, err := f.Reserve(t.Context(), model("m"), "p")
		if name := took(t, s, err); name != "cold" || other.asked != 0 || failed.asked != 0 {
			t.Errorf("%s, %d, %d", name, other.asked, failed.asked)
		}
	})
}

func TestAColdStartThatFailsIsTriedElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad, good := newMember("bad", inference.Absent, 1), newMember("good", inference.Absent, 1)
		bad.refuse = fault.New(fault.ModelNoRoom, "", "")
		s, err := inference.NewFleet(bad, good).Reserve(t.Context(), model("m"), "p")
		if name := took(t, s, err); name != "good" {
			t.Error(name)
		}
	})
}

func TestTheFirstSlotThatFreesAnywhere(t *testing.T) {
	for i := range 2 {
		synctest.Test(t, func(t *testing.T) {
			m := []*member{newMember("0", inference.Ready, 1), newMember("1", inference.Ready, 1)}
			f := inference.NewFleet(m[0], m[1])
			var held []inference.Slot
			for range 2 {
				s, err := f.Reserve(t.Context(), model("m"), "p")
				if err != nil {
					t.Fatal(err)
				}
				held = append(held, s)
			}
			got := make(chan string)
			go func() {
				s, err := f.Reserve(t.Context(), model("m"), "p")
				got <- took(t, s, err)
				s.Release()
			}()
			pass(time.Second)
			if s := f.Models()[0]; s.InUse != 2 || s.Waiting != 1 || s.Capacity != 2 {
				t.Errorf("%+v", s)
			}
			held[i].Release()
			if name := <-got; name != fmt.Sprint(i) {
				t.Errorf("%s was taken when %d was free", name, i)
			}
			held[1-i].Release()
			synctest.Wait()
			if s := f.Models()[0]; s.InUse != 0 || s.Waiting != 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestAMemberThatBecomesReadyIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, late := newMember("slow", inference.Loading, 0), newMember("late", inference.Failed, 0)
		f := inference.NewFleet(slow, late)
		got := make(chan string)
		go func() {
			s, err := f.Reserve(t.Context(), model("m"), "p")
			got <- took(t, s, err)
		}()
		pass(time.Second)
		late.become(inference.Ready, 1)
		if name := <-got; name != "late" {
			t.Error(name)
		}
		synctest.Wait()
		if s := slow.queue.Stats(); s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
}

func TestALostWorkersJobIsTriedElsewhere(t *testing.T) {
	for _, code := range []fault.Code{fault.AIWorkerLost, fault.OperationUnsupported, fault.ModelRunnerLost,
		fault.ModelNotReady, fault.RunnerFailed} {
		t.Run(string(code), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := newMember("a", inference.Ready, 1), newMember("b", inference.Ready, 1)
				a.fails = fault.New(code, "", "")
				s, err := inference.NewFleet(a, b).Reserve(t.Context(), model("m"), "p")
				if err != nil {
					t.Fatal(err)
				}
				reply, err := s.Run(t.Context(), nil)
				if code == fault.RunnerFailed {
					if fault.CodeOf(err) != code || b.ran != 0 {
						t.Errorf("%v, %d", err, b.ran)
					}
				} else if err != nil || reply.Worker != "b" {
					t.Errorf("%v", err)
				}
				s.Release()
				if a.queue.Stats().InUse+b.queue.Stats().InUse != 0 {
					t.Error("slots are kept")
				}
			})
		})
	}
}

func TestNoOtherMemberHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newMember("a", inference.Ready, 1), newMember("b", inference.Ready, 1)
		a.fails = fault.New(fault.AIWorkerLost, "", "first")
		b.fails = fault.New(fault.AIWorkerLost, "", "second")
		s, err := inference.NewFleet(a, b).Reserve(t.Context(), model("m"), "p")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context(), nil); fault.CodeOf(err) != fault.AIWorkerLost || a.ran != 1 || b.ran != 1 {
			t.Errorf("%v %d %d", err, a.ran, b.ran)
		}
		s.Release()
	})
}

func TestReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := newMember("a", inference.Ready, 1), newMember("b", inference.Ready, 1)
		f := inference.NewFleet(a, b)
		if _, err := f.Reserve(t.Context(), model("other"), "p"); fault.CodeOf(err) != fault.ModelNotServed {
			t.Error(err)
		}
		a.refuse = fault.New(fault.ModelLineFull, "", "")
		b.refuse = fault.New(fault.ModelNotServed, "", "")
		if _, err := f.Reserve(t.Context(), model("m"), "p"); fault.CodeOf(err) != fault.ModelLineFull {
			t.Error(err)
		}
		a.refuse, b.refuse = nil, nil
		a.become(inference.Ready, 0)
		b.become(inference.Ready, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := f.Reserve(ctx, model("m"), "p"); fault.CodeOf(err) != fault.ModelWaitOver ||
			!errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

func TestModelsAreMerged(t *testing.T) {
	a, b := newMember("a", inference.Failed, 0), newMember("b", inference.Ready, 3)
	a.state.Code, a.state.Reason, a.state.Devices, a.state.External = fault.ModelFailed, "broken", []string{"rig 0"}, true
	b.state.Devices, b.state.Context, b.state.Operations = []string{"0"}, 100, nil
	c := newMember("c", inference.Ready, 2)
	c.state.Context, c.state.Operations, c.state.RunnerVersion = 50, []inference.Operation{inference.Embedding}, "1.0.0"
	got := inference.NewFleet(a, b, c).Models()
	if len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	s := got[0]
	if s.State != inference.Ready || s.Code != "" || s.Reason != "" || s.Capacity != 5 || s.Context != 50 || s.External ||
		!slices.Equal(s.Devices, []string{"0", "rig 0"}) ||
		!slices.Equal(s.Operations, []inference.Operation{inference.Chat, inference.Embedding}) {
		t.Errorf("%+v", s)
	}
}

// Whatever comes and goes, no slot is given twice, none is lost, and a waiting job gets
// one in the end.
func TestSlotsAreConserved(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 3), 1, 4).Draw(rt, "slots")
		clients := rapid.IntRange(1, 12).Draw(rt, "clients")
		hold := rapid.SliceOfN(rapid.IntRange(0, 30), clients, clients).Draw(rt, "hold")
		synctest.Test(t, func(t *testing.T) {
			var all []inference.Worker
			var members []*member
			total := 0
			for i, n := range sizes {
				m := newMember(fmt.Sprint(i), inference.Ready, n)
				members, all = append(members, m), append(all, m)
				total += n
			}
			f := inference.NewFleet(all...)
			var mu sync.Mutex
			var wg sync.WaitGroup
			inUse, most := 0, 0
			for i := range clients {
				wg.Go(func() {
					s, err := f.Reserve(t.Context(), model("m"), fmt.Sprint(i%3))
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					inUse++
					most = max(most, inUse)
					mu.Unlock()
					pass(time.Duration(hold[i]) * time.Millisecond)
					mu.Lock()
					inUse--
					mu.Unlock()
					s.Release()
				})
			}
			wg.Wait()
			if most > total {
				t.Errorf("%d of %d", most, total)
			}
			for _, m := range members {
				if st := m.queue.Stats(); st.InUse != 0 || st.Waiting != 0 {
					t.Errorf("%+v", st)
				}
			}
		})
	})
}

// What one member refuses another one that has a free slot may do; what both refuse is refused.
func TestARefusalIsAskedElsewhere(t *testing.T) {
	no := func(status int) *inference.Reply {
		return &inference.Reply{Status: status, Body: io.NopCloser(strings.NewReader("no"))}
	}
	for name, row := range map[string]struct {
		a, b   *inference.Reply
		busy   bool
		status int
		ranB   int
	}{
		"one":                       {a: no(400), status: 200, ranB: 1},
		"both":                      {a: no(422), b: no(422), status: 422, ranB: 1},
		"the other one has no slot": {a: no(413), busy: true, status: 413},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := newMember("a", inference.Ready, 2), newMember("b", inference.Ready, 1)
				a.says, b.says = row.a, row.b
				f := inference.NewFleet(a, b)
				s, err := f.Reserve(t.Context(), model("m"), "p")
				if err != nil {
					t.Fatal(err)
				}
				if row.busy {
					other, err := b.Reserve(t.Context(), model("m"), "p")
					if err != nil {
						t.Fatal(err)
					}
					defer other.Release()
				}
				reply, err := s.Run(t.Context(), nil)
				if err != nil || reply.Status != row.status || b.ran != row.ranB {
					t.Errorf("%+v %v, %d", reply, err, b.ran)
				}
				s.Release()
				if n := a.queue.Stats().InUse; n != 0 {
					t.Errorf("%d slots are kept", n)
				}
			})
		})
	}
}
