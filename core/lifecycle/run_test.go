package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// diary collects what the components did, in order.
type diary struct {
	mu      sync.Mutex
	entries []string
}

func (d *diary) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entries = append(d.entries, fmt.Sprintf(format, args...))
}

func (d *diary) list() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.entries)
}

// part is a component whose behavior is set by its fields.
type part struct {
	name string
	d    *diary
	// startErr ends Run before ready; endAfter ends it by itself with endErr.
	startErr error
	endAfter time.Duration
	endErr   error
	// stopTakes delays the end after ctx; stopErr is then returned.
	stopTakes time.Duration
	stopErr   error
	panics    bool
	neverUp   bool
}

func (p *part) Name() string { return p.name }

func (p *part) Run(ctx context.Context, ready func()) error {
	p.d.add("start %s", p.name)
	if p.startErr != nil {
		return p.startErr
	}
	if p.panics {
		panic("out of cheese")
	}
	if !p.neverUp {
		ready()
		ready() // more than once is harmless
	}
	var end <-chan time.Time
	if p.endAfter > 0 {
		end = time.After(p.endAfter)
	}
	select {
	case <-end:
		return p.endErr
	case <-ctx.Done():
	}
	if p.stopTakes > 0 {
		<-time.After(p.stopTakes)
	}
	p.d.add("stop %s", p.name)
	if p.stopErr != nil {
		return p.stopErr
	}
	return fmt.Errorf("run: %w", ctx.Err())
}

// drainer also drains, for a while or until it is asked to stop.
type drainer struct {
	part
	takes      time.Duration
	err        error
	ignoresCtx bool
	grace      time.Duration
}

func (d *drainer) Drain(ctx context.Context) error {
	d.d.add("drain %s", d.name)
	if d.ignoresCtx {
		<-time.After(d.takes)
		return nil
	}
	select {
	case <-time.After(d.takes):
		d.d.add("drained %s", d.name)
		return d.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *drainer) StopGrace() time.Duration {
	if d.grace == 0 {
		return 10 * time.Second
	}
	return d.grace
}

// running is a Run in the background of a synctest bubble.
type running struct {
	signals chan os.Signal
	cancel  context.CancelFunc
	result  chan error
	begun   time.Time
}

func run(t *testing.T, parts ...lifecycle.Component) *running {
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{signals: make(chan os.Signal, 2), cancel: cancel, result: make(chan error, 1), begun: time.Now()}
	go func() { r.result <- lifecycle.Run(ctx, slog.New(slog.DiscardHandler), r.signals, parts...) }()
	synctest.Wait()
	return r
}

func (r *running) wait() (time.Duration, error) {
	err := <-r.result
	r.cancel()
	return time.Since(r.begun), err
}

// check compares the diary.
func check(t *testing.T, d *diary, want ...string) {
	t.Helper()
	if got := d.list(); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func inBubble(t *testing.T, f func(t *testing.T, d *diary)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, &diary{}) })
}

func TestStartsInOrderAndStopsInReverse(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &part{name: "store", d: d}, &part{name: "workers", d: d}, &part{name: "server", d: d})
		r.cancel()
		if _, err := r.wait(); err != nil || lifecycle.ExitStatus(err) != 0 {
			t.Errorf("asked to stop, got %v", err)
		}
		check(t, d, "start store", "start workers", "start server", "stop server", "stop workers", "stop store")
	})
}

func TestWaitsForReady(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &part{name: "store", d: d, neverUp: true}, &part{name: "server", d: d})
		check(t, d, "start store")
		r.signals <- os.Interrupt
		if _, err := r.wait(); err != nil {
			t.Errorf("a signal while starting is a clean stop, got %v", err)
		}
		check(t, d, "start store", "stop store")
	})
}

func TestFailingStartCleansUp(t *testing.T) {
	t.Parallel()
	boom := errors.New("disk on fire")
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &part{name: "store", d: d, stopErr: errors.New("flush failed")},
			&part{name: "workers", d: d, startErr: boom}, &part{name: "server", d: d})
		_, err := r.wait()
		if !errors.Is(err, boom) || !errors.Is(err, fault.StartFailed) || lifecycle.ExitStatus(err) != 1 {
			t.Errorf("got %v", err)
		}
		want := "workers: StartFailed: disk on fire\nstop store: ComponentFailed: flush failed"
		if err.Error() != want {
			t.Errorf("got  %q\nwant %q", err, want)
		}
		check(t, d, "start store", "start workers", "stop store")
	})
}

func TestPanicIsAFailure(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &part{name: "store", d: d}, &part{name: "workers", d: d, panics: true})
		_, err := r.wait()
		if err == nil || !strings.Contains(err.Error(), "workers: StartFailed: panic: out of cheese") {
			t.Errorf("got %v", err)
		}
		check(t, d, "start store", "start workers", "stop store")
	})
}

func TestEndingUnaskedIsAFailure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"with an error", errors.New("lost the socket"), "workers: ComponentFailed: lost the socket"},
		{"with nil", nil, "workers: ComponentFailed (ended without being asked)"},
		{"with a foreign cancellation", context.Canceled, "workers: ComponentFailed: context canceled"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, d *diary) {
				r := run(t, &part{name: "store", d: d},
					&part{name: "workers", d: d, endAfter: time.Minute, endErr: tt.err},
					&drainer{part: part{name: "server", d: d}})
				took, err := r.wait()
				if err == nil || err.Error() != tt.want {
					t.Errorf("got %v, want %s", err, tt.want)
				}
				if took != time.Minute {
					t.Errorf("took %v", took)
				}
				// No drain: the node is not whole any more.
				check(t, d, "start store", "start workers", "start server", "stop server", "stop store")
			})
		})
	}
}

func TestFirstSignalDrains(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &drainer{part: part{name: "workers", d: d}, takes: 3 * time.Second}, &part{name: "api", d: d},
			&drainer{part: part{name: "server", d: d}, takes: 5 * time.Second})
		r.signals <- syscall.SIGTERM
		took, err := r.wait()
		if err != nil || took != 8*time.Second {
			t.Errorf("got %v after %v", err, took)
		}
		check(t, d, "start workers", "start api", "start server", "drain server", "drained server",
			"drain workers", "drained workers", "stop server", "stop api", "stop workers")
	})
}

func TestDrainFailureIsReported(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &drainer{part: part{name: "server", d: d}, takes: time.Second, err: errors.New("lost a segment")})
		r.signals <- syscall.SIGTERM
		_, err := r.wait()
		if err == nil || err.Error() != "drain server: ComponentFailed: lost a segment" {
			t.Errorf("got %v", err)
		}
	})
}

func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &drainer{part: part{name: "server", d: d}, takes: time.Hour})
		r.signals <- syscall.SIGTERM
		took, err := r.wait()
		if err != nil || took != 30*time.Second {
			t.Errorf("got %v after %v", err, took)
		}
		check(t, d, "start server", "drain server", "stop server")
	})
}

func TestDrainerThatIgnoresItsContext(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &drainer{part: part{name: "server", d: d}, takes: time.Hour, ignoresCtx: true})
		r.signals <- syscall.SIGTERM
		took, err := r.wait()
		if err != nil || took != 31*time.Second {
			t.Errorf("got %v after %v", err, took)
		}
		<-time.After(time.Hour) // let it end inside the bubble
	})
}

func TestSecondSignalCutsShort(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &part{name: "store", d: d, stopTakes: 4 * time.Second},
			&drainer{part: part{name: "server", d: d}, takes: time.Hour})
		r.signals <- syscall.SIGTERM
		<-time.After(2 * time.Second)
		r.signals <- syscall.SIGTERM
		took, err := r.wait()
		if err == nil || err.Error() != "stop store: StopTimeout (still running after 1s)" || took != 3*time.Second {
			t.Errorf("got %v after %v", err, took)
		}
		<-time.After(time.Hour)
	})
}

func TestFailureWhileDraining(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &part{name: "workers", d: d, endAfter: 2 * time.Second, endErr: errors.New("gone")},
			&drainer{part: part{name: "server", d: d}, takes: time.Hour})
		r.signals <- syscall.SIGTERM
		took, err := r.wait()
		if err == nil || err.Error() != "workers: ComponentFailed: gone" || took != 2*time.Second {
			t.Errorf("got %v after %v", err, took)
		}
		check(t, d, "start workers", "start server", "drain server", "stop server")
	})
}

func TestHangOnStop(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &part{name: "store", d: d}, &part{name: "workers", d: d, stopTakes: time.Hour},
			&drainer{part: part{name: "server", d: d, stopTakes: 20 * time.Second}, grace: 25 * time.Second})
		r.cancel()
		took, err := r.wait()
		if !errors.Is(err, fault.StopTimeout) || err.Error() != "stop workers: StopTimeout (still running after 10s)" {
			t.Errorf("got %v", err)
		}
		if took != 30*time.Second {
			t.Errorf("took %v", took)
		}
		// The store is stopped although the one before hangs.
		check(t, d, "start store", "start workers", "start server", "stop server", "stop store")
		<-time.After(time.Hour)
	})
}

func TestSignalWhileStopping(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, d *diary) {
		r := run(t, &part{name: "store", d: d}, &part{name: "workers", d: d, stopTakes: time.Hour})
		r.cancel()
		synctest.Wait()
		r.signals <- os.Interrupt
		took, err := r.wait()
		if !errors.Is(err, fault.StopTimeout) || took != time.Second {
			t.Errorf("got %v after %v", err, took)
		}
		<-time.After(time.Hour)
	})
}

func TestNothingToRun(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := lifecycle.Run(ctx, slog.New(slog.DiscardHandler), nil); err != nil {
		t.Error(err)
	}
	d := &diary{}
	if err := lifecycle.Run(ctx, slog.New(slog.DiscardHandler), nil, &part{name: "never", d: d}); err != nil {
		t.Error(err)
	}
	check(t, d)
}
