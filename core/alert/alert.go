package alert

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// State is where a trouble stands.
type State string

// The states. An alert of StateTest is about nothing: it shows that alerts arrive.
const (
	StateFiring   State = "firing"
	StateStill    State = "still firing"
	StateResolved State = "resolved"
	StateTest     State = "test"
)

// Alert is what somebody is told. Nothing in it is secret.
type Alert struct {
	State    State
	Severity fault.Severity
	// Key is the condition; alerts of one key belong together.
	Key health.Key
	// Detail has the facts of the moment; Cause and Remedy are the table's.
	Detail, Cause, Remedy string
	// Since is when the trouble began, At when this was decided.
	Since, At time.Time
	// Times is how often the trouble came within the last hour, this time included.
	Times int
}

// of is the alert about a condition.
func of(c health.Condition, state State, now time.Time, times int) Alert {
	row, _ := fault.Lookup(c.Code)
	return Alert{
		State: state, Severity: fault.SeverityOf(c.Code), Key: health.Key{Code: c.Code, About: c.About},
		Detail: c.Detail, Cause: row.Cause, Remedy: row.Remedy, Since: c.Since, At: now, Times: times,
	}
}

// Test is an alert about nothing.
func Test(now time.Time) Alert {
	return Alert{
		State: StateTest, Severity: fault.Info, Key: health.Key{Code: "Test"}, Since: now, At: now, Times: 1,
		Detail: "a test: alerts of this node arrive here", Cause: "Somebody ran tutti alert test.", Remedy: "None needed.",
	}
}
