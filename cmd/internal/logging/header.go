package logging

import (
	"log/slog"
	"strconv"
	"time"
)

// severity is glog's: each has a file, which holds the lines of those above, too.
type severity int

const (
	info severity = iota
	warning
	failure
	severities
)

// name returns the severity as file names have it; its first letter begins the line.
func (s severity) name() string { return [...]string{"INFO", "WARNING", "ERROR"}[s] }

func severityOf(level slog.Level) severity {
	switch {
	case level >= slog.LevelError:
		return failure
	case level >= slog.LevelWarn:
		return warning
	}
	return info
}

// word returns a level as JSON and the dashboard have it.
func word(level slog.Level) string {
	switch {
	case level >= slog.LevelError:
		return "error"
	case level >= slog.LevelWarn:
		return "warning"
	case level >= slog.LevelInfo:
		return "info"
	}
	return "debug"
}

// appendHeader begins a line: "I0102 15:04:05.000000   12345 file.go:12] ".
func appendHeader(b []byte, s severity, now time.Time, pid int, position string) []byte {
	b = append(b, s.name()[0])
	b = now.AppendFormat(b, "0102 15:04:05.000000")
	b = append(b, ' ')
	for n := pid; n < 1_000_000; n = n*10 + 9 {
		b = append(b, ' ')
	}
	b = strconv.AppendInt(b, int64(pid), 10)
	b = append(b, ' ')
	b = append(b, position...)
	return append(b, "] "...)
}
