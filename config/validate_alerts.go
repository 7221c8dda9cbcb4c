package config

import (
	"errors"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// validateAlerts parses the alert addresses at the start: an alert that cannot be
// sent must not be found out about when it is needed.
func (l *loader) validateAlerts() {
	if !l.valid("alert") {
		return
	}
	_, err := health.ParseSinks(l.config.Monitoring.AlertSinks.Reveal())
	if m, ok := errors.AsType[*health.SinkMistake](err); ok {
		l.reportOption(fault.BadOption, "alert", m.Error(), m.Remedy)
	}
}
