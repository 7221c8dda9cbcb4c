package adminapi

import "time"

// PathLog is where the last lines of the node's log are.
const PathLog = Prefix + "/log"

// QueryLines says how many lines are wanted, DefaultLogLines without it.
const QueryLines = "lines"

// DefaultLogLines is how many lines of the log are sent unasked.
const DefaultLogLines = 100

// Log is the end of the node's log, oldest line first.
type Log struct {
	Lines []LogEntry `json:"lines"`
}

// LogEntry is one line of the log.
type LogEntry struct {
	// Seq counts lines since the start.
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"`
	// Level is "error", "warning", "info" or "debug".
	Level string `json:"level"`
	// Source is where in the program it was written, "file.go:12".
	Source string `json:"source"`
	// Text is the message with its attributes; Code the fault it tells of, "" for none.
	Text string `json:"text"`
	Code string `json:"code"`
}
