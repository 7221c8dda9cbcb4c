package card

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// EnvChecks names the file that checks are appended to.
const EnvChecks = "TUTTI_GPUKIT_CHECKS"

// CheckResult is how a check ended.
type CheckResult string

// Results. Noted is a figure that nothing was expected of.
const (
	Passed        CheckResult = "passed"
	Failed        CheckResult = "failed"
	Skipped       CheckResult = "skipped"
	RecordedCheck CheckResult = "noted"
)

// Check is one line of a report.
type Check struct {
	// Test is the test that made the check.
	Test string `json:"test"`
	// What was looked at, what should be, and what was seen there.
	What     string `json:"what"`
	Expected string `json:"expected,omitempty"`
	Seen     string `json:"seen"`
	// Figure is a measured number with its unit.
	Figure string      `json:"figure,omitempty"`
	Result CheckResult `json:"result"`
}

// CheckThat records whether a check held. One that did not fails the test, which goes on.
func CheckThat(t testing.TB, ok bool, what, expected, seen, figure string) {
	t.Helper()
	c := Check{Test: t.Name(), What: what, Expected: expected, Seen: seen, Figure: figure, Result: Passed}
	if !ok {
		c.Result = Failed
		t.Errorf("%s: %s, expected %s %s", what, seen, expected, figure)
	}
	add(t, c)
}

// NoError records that something succeeded, or why it did not, and reports which.
func NoError(t testing.TB, err error, what, figure string) bool {
	t.Helper()
	seen := "done"
	if err != nil {
		seen = err.Error()
	}
	CheckThat(t, err == nil, what, "no error", seen, figure)
	return err == nil
}

// RecordCheck records a figure or a fact that nothing was expected of.
func RecordCheck(t testing.TB, what, seen, figure string) {
	t.Helper()
	add(t, Check{Test: t.Name(), What: what, Seen: seen, Figure: figure, Result: RecordedCheck})
}

// SkipCheck records that a check does not apply here, and why. The test goes on.
func SkipCheck(t testing.TB, what, why string) {
	t.Helper()
	add(t, Check{Test: t.Name(), What: what, Seen: why, Result: Skipped})
}

func add(t testing.TB, c Check) {
	t.Helper()
	t.Logf("%s: %s: %s %s", c.Result, c.What, c.Seen, c.Figure)
	if err := AppendCheck(os.Getenv(EnvChecks), c); err != nil {
		t.Error(err)
	}
}

// AppendCheck adds a check to a file of them; "" is none. A whole line is one write, so
// that concurrent processes do not mix theirs.
func AppendCheck(path string, c Check) error {
	if path == "" {
		return nil
	}
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("record a check: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
