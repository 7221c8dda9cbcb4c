package logging

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
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

// name is the severity as file names have it; its first letter begins the line.
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

// appendHeader begins a line: "I0102 15:04:05.000000   12345 file.go:12] ".
func appendHeader(b []byte, s severity, now time.Time, pid int, pc uintptr) []byte {
	b = append(b, s.name()[0])
	b = now.AppendFormat(b, "0102 15:04:05.000000")
	b = fmt.Appendf(b, " %7d ", pid)
	file, line := "???", 1
	if pc != 0 {
		frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		file, line = filepath.Base(frame.File), frame.Line
	}
	b = append(b, file...)
	b = append(b, ':')
	b = strconv.AppendInt(b, int64(line), 10)
	return append(b, "] "...)
}
