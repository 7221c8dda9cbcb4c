package config

import (
	"errors"

	"github.com/tuttinode/tutti/core/alert"
	"github.com/tuttinode/tutti/core/fault"
)

// judgeAlerts reads the addresses of who is told of troubles: an alert that cannot be
// sent is not to be found out about when it is needed.
func (l *loader) judgeAlerts() {
	if !l.sound("alert") {
		return
	}
	_, err := alert.Parse(l.config.Monitoring.AlertSinks.Reveal())
	if m, ok := errors.AsType[*alert.Mistake](err); ok {
		l.blame(fault.BadOption, "alert", m.Error(), m.Remedy)
	}
}
