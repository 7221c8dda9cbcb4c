package health

import (
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// AlertState is the state of an alert's condition.
type AlertState string

// The states. AlertTest marks an alert that only tests the delivery.
const (
	AlertFiring   AlertState = "firing"
	AlertStill    AlertState = "still firing"
	AlertResolved AlertState = "resolved"
	AlertTest     AlertState = "test"
)

// Alert is a notification for the operator. It contains no secrets.
type Alert struct {
	State    AlertState
	Severity fault.Severity
	// Key is the condition; alerts of one key belong together.
	Key Key
	// Detail is the condition's; Cause and Remedy are those of core/fault.
	Detail, Cause, Remedy string
	// Since is when the condition was set, At when the alert was made.
	Since, At time.Time
	// Times is how often the condition was set within the last hour, this time included.
	Times int
}

// newAlert makes the alert for a condition.
func newAlert(c Condition, state AlertState, now time.Time, times int) Alert {
	row, _ := fault.Lookup(c.Code)
	return Alert{
		State: state, Severity: fault.SeverityOf(c.Code), Key: Key{Code: c.Code, About: c.About},
		Detail: c.Detail, Cause: row.Cause, Remedy: row.Remedy, Since: c.Since, At: now, Times: times,
	}
}

// NewTestAlert returns an alert that only tests the delivery.
func NewTestAlert(now time.Time) Alert {
	return Alert{
		State: AlertTest, Severity: fault.Info, Key: Key{Code: "Test"}, Since: now, At: now, Times: 1,
		Detail: "a test: alerts of this node arrive here", Cause: "The command tutti alert test was run.",
		Remedy: "None needed.",
	}
}
