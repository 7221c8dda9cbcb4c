package endpoint

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// logsWithin reads the few logs there are and says how long it took.
func logsWithin(t *testing.T, p *Pool, limit time.Duration) (time.Duration, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	began := time.Now()
	_, next, err := p.Logs(ctx, 1, 16, LogFilter{})
	if (err == nil) != (next == 17) {
		t.Errorf("up to %d with %v", next, err)
	}
	return time.Since(began), err
}

// Logs that hang cost the caller part of its time once, and heads and calls
// nothing.
func TestHangingLogsAreNotTheEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &scripted{deaf: "eth_getLogs", delay: time.Millisecond}
		p := scriptedPool(t, one)
		for range 30 {
			took, err := logsWithin(t, p, 4*time.Second)
			if !errors.Is(err, fault.RPCTimeout) || took > 2*time.Second+time.Millisecond {
				t.Fatalf("took %v, %v", took, err)
			}
			<-time.After(time.Second)
			if _, err := p.GasPrice(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s := p.Status().Endpoints[0]
		if s.State != Serving || s.Open || s.ErrorRate != 0 || s.LogSpan != p.opt.LogRange {
			t.Errorf("the endpoint was blamed: %+v", s)
		}
		if one.calls > 30+2*8 {
			t.Errorf("%d requests; they ought to rest for longer and longer", one.calls)
		}
		// It is tried again, and well again after one answer.
		one.deaf = ""
		<-time.After(2 * time.Minute)
		for range 2 {
			if took, err := logsWithin(t, p, 4*time.Second); err != nil || took > 2*time.Millisecond {
				t.Errorf("took %v, %v", took, err)
			}
		}
	})
}

// The other endpoint has time left to answer, and gets requests first from then on.
func TestHangingLogsComeFromAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		deaf, good := &scripted{deaf: "eth_getLogs", delay: time.Millisecond}, &scripted{delay: 2 * time.Millisecond}
		p := scriptedPool(t, deaf, good)
		if took, err := logsWithin(t, p, 3*time.Second); err != nil || took > 1600*time.Millisecond {
			t.Fatalf("took %v, %v", took, err)
		}
		if took, err := logsWithin(t, p, 3*time.Second); err != nil || took > 10*time.Millisecond {
			t.Errorf("took %v, %v", took, err)
		}
	})
}

// Without a deadline there is an end too: an endpoint is not asked for half, and
// half of that, until a single block is left.
func TestHangingLogsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one, other := &scripted{deaf: "eth_getLogs"}, &scripted{deaf: "eth_getLogs"}
		p := scriptedPool(t, one, other)
		began := time.Now()
		if _, _, err := p.Logs(t.Context(), 1, 16, LogFilter{}); !errors.Is(err, fault.RPCTimeout) {
			t.Error(err)
		}
		if took := time.Since(began); took != 2*p.opt.CallTimeout {
			t.Errorf("took %v; want one time limit for each endpoint", took)
		}
	})
}

// When the caller's own time is too short for any endpoint, none is blamed.
func TestShortDeadlineBlamesNoEndpoint(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		one := &scripted{delay: 200 * time.Millisecond}
		p := scriptedPool(t, one)
		if _, err := logsWithin(t, p, 300*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if took, err := logsWithin(t, p, 10*time.Second); err != nil || took > 400*time.Millisecond {
			t.Errorf("took %v, %v", took, err)
		}
	})
}
