package fault

// Severity says how soon somebody should look at a condition.
type Severity int

// The severities. Alerts and pages sort by them.
const (
	// Info is news: nobody has to do anything.
	Info Severity = iota
	// Warning deserves a look today: work or money may be lost if it goes on.
	Warning
	// Critical deserves a look now: work or money is being lost.
	Critical
)

// String is the word in alerts, metrics and pages.
func (s Severity) String() string {
	switch s {
	case Info:
		return "info"
	case Critical:
		return "critical"
	}
	return "warning"
}
