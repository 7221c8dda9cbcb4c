package doctor

import "fmt"

// Status is the result of a check.
type Status int

// The statuses, the worst last.
const (
	// Pass: nothing is wrong.
	Pass Status = iota
	// Skip: there is nothing to check, or it cannot be checked from here.
	Skip
	// Warn: work or money may be lost.
	Warn
	// Fail: the node cannot do its work as it is.
	Fail
)

// String returns the word in lists and JSON.
func (s Status) String() string {
	switch s {
	case Pass:
		return "pass"
	case Skip:
		return "skip"
	case Warn:
		return "warn"
	case Fail:
		return "fail"
	}
	return fmt.Sprintf("status %d", int(s))
}

// MarshalText writes the word.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Exit returns the program's exit status for the worst of a report: 0 when all is well, 1
// for warnings, 2 for failures.
func (s Status) Exit() int { return max(0, int(s)-int(Skip)) }
