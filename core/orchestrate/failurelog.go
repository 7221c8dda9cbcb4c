package orchestrate

import (
	"log/slog"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// failureLevel returns the level of a failed request's line, and its attributes with the number of
// failures without a line before it. Our own defects always have a line.
func (o *Orchestrator) failureLevel(level slog.Level, attrs []slog.Attr, from string, err error) (slog.Level,
	[]slog.Attr) {
	if fault.ClassOf(err) == fault.Internal || level < slog.LevelInfo {
		return level, attrs
	}
	suppressed, ok := o.failures.Allow(core.PeerName(from), o.opt.Now())
	switch {
	case !ok:
		level = slog.LevelDebug
	case suppressed > 0:
		attrs = append(attrs, slog.Int("others", suppressed))
	}
	return level, attrs
}
