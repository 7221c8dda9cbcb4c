// Package check records what a check of the GPU kit expected and what it saw, one
// JSON line each, in the file that TUTTI_GPUKIT_CHECKS names. Without that variable the
// checks go to the test's log alone, so that the same tests run in the test command.
//
// It checks nothing and makes no report: test/gpu/kit reads the lines. Tests alone
// import it.
package check

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// EnvFile names the file that checks are appended to.
const EnvFile = "TUTTI_GPUKIT_CHECKS"

// Result is how a check ended.
type Result string

// Results. Noted is a figure that nothing was expected of.
const (
	Passed   Result = "passed"
	Failed   Result = "failed"
	Skipped  Result = "skipped"
	Recorded Result = "noted"
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
	Figure string `json:"figure,omitempty"`
	Result Result `json:"result"`
}

// That records whether a check held. One that did not fails the test, which goes on.
func That(t testing.TB, ok bool, what, expected, seen, figure string) {
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
	That(t, err == nil, what, "no error", seen, figure)
	return err == nil
}

// Record records a figure or a fact that nothing was expected of.
func Record(t testing.TB, what, seen, figure string) {
	t.Helper()
	add(t, Check{Test: t.Name(), What: what, Seen: seen, Figure: figure, Result: Recorded})
}

// Skip records that a check does not apply here, and why. The test goes on.
func Skip(t testing.TB, what, why string) {
	t.Helper()
	add(t, Check{Test: t.Name(), What: what, Seen: why, Result: Skipped})
}

func add(t testing.TB, c Check) {
	t.Helper()
	t.Logf("%s: %s: %s %s", c.Result, c.What, c.Seen, c.Figure)
	if err := Append(os.Getenv(EnvFile), c); err != nil {
		t.Error(err)
	}
}

// Append adds a check to a file of them; "" is none. A whole line is one write, so
// that processes beside each other do not mix theirs.
func Append(path string, c Check) error {
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
