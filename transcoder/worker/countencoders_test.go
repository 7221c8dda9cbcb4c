package worker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker"
)

func TestEncodersAreCountedInTheChild(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		device       string
		atMost, want int
		code         fault.Code
	}{
		{device: "limit 3", atMost: 32, want: 3},
		{device: "limit 40", atMost: 32, want: 32},
		{device: "limit 0", atMost: 32},
		{device: "limit 3", atMost: -1},
		{device: "limit 9999", atMost: 1 << 30, want: 1024},
		{device: "none", atMost: 4, code: fault.TranscoderInvalidHardware},
		{device: "lies", atMost: 4, code: fault.WorkerProtocol},
	} {
		t.Run(row.device, func(t *testing.T) {
			t.Parallel()
			c := start(t, func(o *worker.Options) { o.Device = row.device })
			n, err := c.EncoderLimit(t.Context(), row.atMost)
			if n != row.want || (err == nil) != (row.code == "") || row.code != "" && !errors.Is(err, row.code) {
				t.Errorf("counted %d, %v; want %d, %s", n, err, row.want, row.code)
			}
		})
	}
}

// A driver that hangs keeps only its caller waiting, and only as long as that likes.
func TestACountThatHangs(t *testing.T) {
	t.Parallel()
	c := start(t, func(o *worker.Options) { o.Device = "hangs" })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.EncoderLimit(ctx, 4); !errors.Is(err, fault.CodeOf(context.DeadlineExceeded)) {
		t.Errorf("got %v", err)
	}
	if _, err := c.Transcode(t.Context(), job("s", "x")); err != nil {
		t.Errorf("the child does nothing any more: %v", err)
	}
}
