package monitoring

import (
	"strings"
	"testing"
)

func TestRulesAndConfigurationAreValid(t *testing.T) {
	t.Parallel()
	if said := promtool(t, "check", "rules", rules); !strings.Contains(said, "SUCCESS") {
		t.Error(said)
	}
	if said := promtool(t, "check", "config", "../../deploy/monitoring/prometheus.yml"); !strings.Contains(said,
		"SUCCESS") {
		t.Error(said)
	}
}

// The cases of testdata/alerts.yml: alerts that fire, at the right time and no sooner.
func TestAlertsFireInTime(t *testing.T) {
	t.Parallel()
	if said := promtool(t, "test", "rules", "testdata/alerts.yml"); !strings.Contains(said, "SUCCESS") {
		t.Error(said)
	}
}
