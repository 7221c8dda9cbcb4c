//go:build !windows

package nvml

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// Watch writes a report at once and at every tick until ctx ends or w is closed, or
// says in one report why there is nothing to tell and returns.
func Watch(ctx context.Context, w io.Writer, tick <-chan time.Time) error {
	r, problem := Open()
	if problem != nil {
		return gpus.WriteReport(w, gpus.ReportLine{Problem: problem})
	}
	defer r.Close()
	// What a driver does once was done. The process that watches has nothing of strangers,
	// and may do without this where the system does not provide it.
	_ = sandbox.Watch()
	return r.watch(ctx, w, tick)
}

func (r *Reader) watch(ctx context.Context, w io.Writer, tick <-chan time.Time) error {
	now := time.Now()
	for {
		if err := gpus.WriteReport(w, r.Read(now)); err != nil {
			return fmt.Errorf("report the GPUs: %w", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case now = <-tick:
		}
	}
}
