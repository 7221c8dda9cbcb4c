package remote_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tuttinode/tutti/server/remote"
)

func TestTasksCountFromZero(t *testing.T) {
	t.Parallel()
	tasks := remote.NewTasks[string](0)
	for want := range remote.TaskID(3) {
		if k := tasks.Open(""); k.ID != want {
			t.Errorf("task %d, want %d", k.ID, want)
		}
	}
}

func TestAResultIsHandedOverOnce(t *testing.T) {
	t.Parallel()
	tasks := remote.NewTasks[string](0)
	k := tasks.Open("")
	first, err := tasks.Claim(k.ID, "")
	if first == nil || err != nil {
		t.Fatal(first, err)
	}
	if second, err := tasks.Claim(k.ID, ""); second != nil || err != nil {
		t.Error("a second result is read after the first", err)
	}
	if !first.Deliver("done") {
		t.Error("no caller waits")
	}
	if again, _ := tasks.Claim(k.ID, ""); again != nil {
		t.Error("a third result after the first")
	}
	if got := <-k.Result(); got != "done" {
		t.Errorf("got %q", got)
	}
	if _, left := k.Close(); left || tasks.Len() != 0 {
		t.Error("something is left of the task")
	}
}

func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	tasks := remote.NewTasks[string](0)
	if c, err := tasks.Claim(99, ""); c != nil || err != nil {
		t.Error("unknown task:", c, err)
	}
	k := tasks.Open("")
	c, _ := tasks.Claim(k.ID, "")
	k.Close()
	k.Close()
	select {
	case <-c.Abandoned():
	default:
		t.Error("the reader of the result does not learn that no caller waits")
	}
	if c.Deliver("late") {
		t.Error("a late result found a caller")
	}
}

func TestOwner(t *testing.T) {
	t.Parallel()
	tasks := remote.NewTasks[string](0)
	k := tasks.Open("mine")
	for _, from := range []string{"", "other"} {
		if c, err := tasks.Claim(k.ID, from); c != nil || !errors.Is(err, remote.ErrOtherWorker) {
			t.Errorf("from %q: %v, %v", from, c, err)
		}
	}
	if c, err := tasks.Claim(k.ID, "mine"); c == nil || err != nil {
		t.Error(c, err)
	}
}

func TestAResultThatBrokeOffCanComeAgain(t *testing.T) {
	t.Parallel()
	tasks := remote.NewTasks[int](0)
	k := tasks.Open("")
	c, _ := tasks.Claim(k.ID, "")
	c.Release()
	if c, _ = tasks.Claim(k.ID, ""); c == nil || !c.Deliver(1) {
		t.Fatal("it cannot")
	}
	if r, ok := k.Close(); !ok || r != 1 {
		t.Error("what was delivered and not received is lost", r, ok)
	}
}

// However results and the end of the wait meet, a result is either received, given
// back by Close, or refused by Deliver.
func TestNoResultGetsLost(t *testing.T) {
	t.Parallel()
	tasks := remote.NewTasks[int](0)
	for range 500 {
		k := tasks.Open("")
		var delivered, received atomic.Int64
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if c, _ := tasks.Claim(k.ID, ""); c != nil && c.Deliver(1) {
					delivered.Add(1)
				}
			})
		}
		wg.Go(func() {
			select {
			case <-k.Result():
				received.Add(1)
			default:
			}
			if _, ok := k.Close(); ok {
				received.Add(1)
			}
		})
		wg.Wait()
		if d, r := delivered.Load(), received.Load(); d != r || d > 1 {
			t.Fatalf("%d delivered, %d received", d, r)
		}
	}
	if tasks.Len() != 0 {
		t.Error("tasks are left")
	}
}

// An abandoned task has no owner; a result on its way in is not forsaken.
func TestForsake(t *testing.T) {
	t.Parallel()
	tasks := remote.NewTasks[int](0)
	k := tasks.Open("a")
	if !k.Abandon() || tasks.Len() != 0 {
		t.Error("it stays")
	}
	if c, err := tasks.Claim(k.ID, "a"); c != nil || err != nil {
		t.Errorf("claimed: %v, %v", c, err)
	}
	k = tasks.Open("a")
	c, err := tasks.Claim(k.ID, "a")
	if err != nil || k.Abandon() || !c.Deliver(7) || <-k.Result() != 7 {
		t.Error("a result on its way is lost")
	}
}
