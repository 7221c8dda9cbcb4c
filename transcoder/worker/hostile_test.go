package worker_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// takenOver starts a client whose child is hostile.
func takenOver(t *testing.T, how string, change func(*worker.Options)) *worker.Client {
	t.Helper()
	return start(t, func(o *worker.Options) {
		o.Args = []string{hostileArg, how}
		if change != nil {
			change(o)
		}
	})
}

// A result is bounded by what was ordered: not even the announced length is allocated.
func TestResultsBeyondTheOrder(t *testing.T) {
	t.Parallel()
	c := takenOver(t, "results of 100000000", nil)
	first := c.Status().PID
	for range 3 {
		_, err := c.Transcode(t.Context(), job("s", "two seconds of two small renditions"))
		if fault.CodeOf(err) != fault.RenditionsTooLarge || !strings.Contains(err.Error(), "200000000 bytes") {
			t.Fatalf("200 MB for two seconds: %v", err)
		}
	}
	if s := c.Status(); s.PID != first || s.Restarts != 0 {
		// Honest media can make an honest worker exceed what a lying gateway stated.
		t.Errorf("the worker of other streams was replaced: %+v", s)
	}
}

// Results that are permitted each are bounded over all of them, until they were used.
func TestResultsInAllAreBounded(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	c := takenOver(t, fmt.Sprintf("results of %d", size), func(o *worker.Options) { o.Memory = 512 << 20 })
	const bound = 128 << 20
	var held []*core.TranscodeResult
	var err error
	for range 40 {
		var res *core.TranscodeResult
		if res, err = c.Transcode(t.Context(), job("s", "x")); err != nil {
			break
		}
		held = append(held, res)
	}
	if fault.CodeOf(err) != fault.TranscoderBusy || len(held) < bound/size/4 || len(held)*2*size > bound {
		t.Fatalf("%d results of %d bytes, then %v", len(held), 2*size, err)
	}
	held = nil
	until(t, "results that were used make room", func() bool {
		_, err := c.Transcode(t.Context(), job("s", "x"))
		return err == nil
	})
	if s := c.Status(); s.Restarts != 0 {
		t.Errorf("the worker was replaced: %+v", s)
	}
}

// What the node keeps to be fetched is no want of memory, and a party that holds on to its
// results leaves as much to others.
func TestOnePartysResultsLeaveRoom(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	c := takenOver(t, fmt.Sprintf("results of %d", size), func(o *worker.Options) { o.Memory = 512 << 20 })
	c.Keeps(func() int64 { return 128 << 20 })
	const half = (128<<20 + 2*128<<20) / 2
	var held []*core.TranscodeResult
	take := func(party string) error {
		j := job("s", "x")
		j.Party = party
		res, err := c.Transcode(t.Context(), j)
		held = append(held, res)
		return err
	}
	for range half / size / 2 {
		if err := take("slow"); err != nil {
			t.Fatalf("%d results, then %v", len(held), err)
		}
	}
	if err := take("slow"); fault.CodeOf(err) != fault.TranscoderBusy {
		t.Errorf("one party has more than half: %v", err)
	}
	for range half / size / 2 {
		if err := take("another"); err != nil {
			t.Fatalf("one party's results stop another's: %v", err)
		}
	}
	runtime.KeepAlive(held)
}

// What the control process did not ask for ends the child by name, as soon as it is sure
// or more than a healthy child could have to say.
func TestChatterEndsTheChild(t *testing.T) {
	t.Parallel()
	for how, says := range map[string]string{
		"pongs":                           "signs of life",
		"pongs with text":                 " of life",
		"log":                             "log",
		"a log without an end of line":    "log",
		"answers that were not asked for": "no request",
		"data that was not announced":     "before its message",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			c := takenOver(t, how, nil)
			_, err := c.Transcode(t.Context(), job("s", "x"))
			if fault.CodeOf(err) != fault.WorkerProtocol || !strings.Contains(err.Error(), says) {
				t.Errorf("got %v, want %s with %q", err, fault.WorkerProtocol, says)
			}
		})
	}
}

func TestASecondAnswerEndsTheChild(t *testing.T) {
	t.Parallel()
	c := takenOver(t, "two answers", nil)
	until(t, "the child is replaced", func() bool {
		_, _ = c.Transcode(t.Context(), job("s", "x"))
		return c.Status().Restarts > 0
	})
}
