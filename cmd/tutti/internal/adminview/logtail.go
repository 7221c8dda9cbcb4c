package adminview

import (
	"github.com/tuttinode/tutti/cmd/internal/logging"
	"github.com/tuttinode/tutti/core/adminapi"
)

// logTail is the end of the log for the admin API and the dashboard.
type logTail struct{ sink *logging.Sink }

// NewLogTail shows the end of what sink wrote.
func NewLogTail(sink *logging.Sink) logTail { return logTail{sink} }

// Lines returns the last n, the oldest first.
func (t logTail) Lines(n int) []adminapi.LogEntry {
	lines := t.sink.Tail().Lines(n)
	out := make([]adminapi.LogEntry, len(lines))
	for i, l := range lines {
		out[i] = adminapi.LogEntry{Seq: l.Seq, Time: l.Time.UTC(), Level: l.Level, Source: l.Source, Text: l.Text,
			Code: l.Code}
	}
	return out
}
