package fault

// Severity says how soon an operator should look at a condition.
type Severity int

// The severities. Alerts and pages sort by them.
const (
	// Info: no action is needed.
	Info Severity = iota
	// Warning deserves a look today: work or money may be lost if it goes on.
	Warning
	// Critical deserves a look now: work or money is being lost.
	Critical
)

// String returns the word in alerts, metrics and pages.
func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Critical:
		return "critical"
	}
	return "warning"
}
