package main

import "github.com/tuttinode/tutti/core/adminapi"

// LogTail is the end of the log for the admin API.
func (s statusSource) LogTail(n int) []adminapi.LogEntry {
	lines := s.n.sink.Tail().Lines(n)
	out := make([]adminapi.LogEntry, len(lines))
	for i, l := range lines {
		out[i] = adminapi.LogEntry{Seq: l.Seq, Time: l.Time.UTC(), Level: l.Level, Source: l.Source, Text: l.Text, Code: l.Code}
	}
	return out
}
