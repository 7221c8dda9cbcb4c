package orchestrate

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
)

// JobDone counts a job that ended, well or not, and writes its one line into the
// log. The line has no word of what was asked or answered. err is why it failed,
// nil when it did not.
func (o *Orchestrator) JobDone(f *inference.Figures, err error) {
	o.opt.Inference.JobDone(f)
	attrs := []slog.Attr{
		slog.String("job", f.RequestID),
		slog.String("pipeline", f.Model.Capability.Pipeline()),
		slog.String("model", f.Model.ID),
		slog.Int("status", f.Status),
		millis("queue_ms", f.Queue),
		millis("first_ms", f.FirstByte),
		millis("total_ms", f.Total),
		millis("own_ms", f.Own),
		slog.Int64("tokens_in", int64(f.Usage.Prompt)),
		slog.Int64("tokens_out", int64(f.Usage.Completion)),
		slog.Int64("tokens_cached", int64(f.Usage.Cached)),
		slog.Int64("units", int64(f.Units)),
	}
	level := slog.LevelInfo
	if err != nil {
		attrs = append(attrs, fault.Attr(err))
		level = jobLevel(err)
	}
	// Without a position in the code, which would cost more than the line.
	line := slog.NewRecord(o.opt.Now(), level, "AI job", 0)
	line.AddAttrs(attrs...)
	_ = o.opt.Log.Handler().Handle(context.Background(), line)
}

// millis is a duration in milliseconds, to the microsecond.
func millis(key string, d time.Duration) slog.Attr {
	return slog.Float64(key, float64(d.Microseconds())/1000)
}

// jobLevel is how loudly a failed job is told: our own defects as errors, what
// an operator can mend as warnings, and what gateways do as it is.
func jobLevel(err error) slog.Level {
	switch fault.ClassOf(err) {
	case fault.Internal:
		return slog.LevelError
	case fault.Upstream, fault.Config:
		if c := fault.CodeOf(err); c != fault.Canceled && c != fault.JobBroken {
			return slog.LevelWarn
		}
	}
	return slog.LevelInfo
}
