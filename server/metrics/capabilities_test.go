package metrics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/metrics"
)

func TestCapabilities(t *testing.T) {
	t.Parallel()
	var all []metrics.Capability
	m := metrics.New(metrics.Options{NodeID: "id"})
	if err := m.WatchCapabilities(func() []metrics.Capability { return all }); err != nil {
		t.Fatal(err)
	}
	all = []metrics.Capability{
		{Name: "upscale", Slots: 4, InUse: 1, Jobs: 7, Seconds: 90, EarnedWei: 450},
		{Name: "gone", Jobs: 1, Seconds: 3, EarnedWei: 6},
	}
	text := scrape(t, m)
	for series, want := range map[string]string{
		`tutti_capability_slots{capability="upscale"`:            "4",
		`tutti_capability_slots_in_use{capability="upscale"`:     "1",
		`tutti_capability_jobs_total{capability="upscale"`:       "7",
		`tutti_capability_seconds_total{capability="upscale"`:    "90",
		`tutti_capability_earned_wei_total{capability="upscale"`: "450",
		`tutti_capability_earned_wei_total{capability="gone"`:    "6",
		`tutti_capability_slots{capability="gone"`:               "0",
	} {
		if series += `,node_id="id",node_type="orch"} ` + want + "\n"; !strings.Contains(text, series) {
			t.Errorf("no %s", series)
		}
	}
	for i := range 300 {
		all = append(all, metrics.Capability{Name: fmt.Sprint("a ", i), Jobs: 1})
	}
	text = scrape(t, m)
	if n := strings.Count(text, "tutti_capability_jobs_total{"); n != 101 ||
		!strings.Contains(text, `tutti_capability_jobs_total{capability="upscale"`) {
		t.Errorf("%d capabilities have series", n)
	}
}
