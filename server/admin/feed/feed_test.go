package feed_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/server/admin/feed"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// document is what is fed.
type document struct {
	Name  string `json:"name"`
	Tick  int    `json:"tick"`
	Lines []int  `json:"lines"`
}

// source makes documents, and counts.
type source struct {
	mu    sync.Mutex // covers what follows
	made  int
	tick  int
	lines []int
}

func (s *source) make(context.Context) document {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return document{Name: "n", Tick: s.tick, Lines: append([]int{}, s.lines...)}
}

func (s *source) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.made
}

func (s *source) set(tick int, lines ...int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tick, s.lines = tick, append(s.lines, lines...)
}

func newer(before, next document) feed.Appended {
	return feed.Appended{"lines": next.Lines[len(before.Lines):]}
}

// run starts a feed in a bubble of time.
func run(t *testing.T, s *source, readers int) (*feed.Feed[document], context.CancelFunc) {
	f := feed.New(feed.Options[document]{Make: s.make, Newer: newer, Interval: time.Second, Readers: readers,
		Now: time.Now})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.Run(ctx)
	}()
	return f, func() { cancel(); <-done }
}

func join(t *testing.T, f *feed.Feed[document]) *feed.Reader {
	t.Helper()
	r, err := f.Join(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pass lets the bubble's time go on.
func pass(d time.Duration) { <-time.NewTimer(d).C }

// take is the next event, or "" where there is none, "over" at the end.
func take(r *feed.Reader) string {
	select {
	case e, ok := <-r.Events():
		if !ok {
			return "over"
		}
		return strings.TrimSuffix(strings.ReplaceAll(string(e), "\n", " "), "  ")
	default:
		return ""
	}
}

func TestWholeThenChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{lines: []int{1, 2}}
		f, stop := run(t, s, 5)
		defer stop()
		r := join(t, f)
		defer r.Leave()
		if got := take(r); got != `event: whole data: {"name":"n","tick":0,"lines":[1,2]}` {
			t.Error(got)
		}
		pass(3 * time.Second)
		if got := take(r); got != "" {
			t.Errorf("nothing changed, and it said %q", got)
		}
		s.set(7, 3)
		pass(time.Second)
		synctest.Wait()
		if got := take(r); got != `event: update data: {"tick":7,"lines":[3]}` {
			t.Error(got)
		}
		late := join(t, f)
		defer late.Leave()
		if got := take(late); got != `event: whole data: {"name":"n","tick":7,"lines":[1,2,3]}` {
			t.Error(got)
		}
		pass(20 * time.Second)
		synctest.Wait()
		if got := take(r); got != `event: beat data: {}` {
			t.Error(got)
		}
	})
}

// However many read, a document is made once a second, and none without a reader.
func TestMadeOnceForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		f, stop := run(t, s, 1000)
		defer stop()
		pass(time.Minute)
		synctest.Wait()
		if s.count() != 0 {
			t.Errorf("made %d without a reader", s.count())
		}
		var readers []*feed.Reader
		for range 1000 {
			readers = append(readers, join(t, f))
		}
		if s.count() != 1 {
			t.Errorf("made %d for readers that came at once", s.count())
		}
		for range 100 {
			f.Latest(t.Context())
		}
		pass(10*time.Second + time.Millisecond)
		synctest.Wait()
		if s.count() != 11 {
			t.Errorf("made %d in ten seconds", s.count())
		}
		for _, r := range readers {
			r.Leave()
			r.Leave()
		}
		pass(time.Minute)
		synctest.Wait()
		if s.count() > 12 {
			t.Errorf("made %d although all have left", s.count())
		}
	})
}

func TestSlowReadersAreDropped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		f, stop := run(t, s, 2)
		defer stop()
		slow, quick := join(t, f), join(t, f)
		defer quick.Leave()
		if _, err := f.Join(t.Context()); !errors.Is(err, feed.ErrFull) {
			t.Errorf("a third: %v", err)
		}
		for i := range 20 {
			s.set(i + 1)
			pass(time.Second)
			synctest.Wait()
			for take(quick) != "" {
			}
		}
		var got []string
		for e := take(slow); e != "over"; e = take(slow) {
			if e == "" {
				t.Fatal("it was not dropped")
			}
			got = append(got, e)
		}
		if len(got) > 10 || !strings.Contains(got[1], `"tick":1`) {
			t.Errorf("%q", got)
		}
		slow.Leave()
		join(t, f).Leave()
	})
}

func TestTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, stop := run(t, &source{}, 2)
		r := join(t, f)
		stop()
		if take(r); take(r) != "over" {
			t.Error("it goes on")
		}
		if _, err := f.Join(t.Context()); !errors.Is(err, feed.ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// A document that is sent whole now and then is what its updates add up to.
func TestManyTicks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &source{}
		f, stop := run(t, s, 2)
		defer stop()
		r := join(t, f)
		defer r.Leave()
		take(r)
		for i := 1; i <= 50; i++ {
			s.set(i, i)
			pass(time.Second)
			synctest.Wait()
			want := `event: update data: {"tick":` + strconv.Itoa(i) + `,"lines":[` + strconv.Itoa(i) + `]}`
			if got := take(r); got != want {
				t.Fatalf("%s, want %s", got, want)
			}
		}
	})
}
