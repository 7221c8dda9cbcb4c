package metrics_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/metrics"
)

func guardChecks() []metrics.GuardChecks {
	return []metrics.GuardChecks{{Guard: "words", Stage: "request", Results: map[string]int64{"passed": 4, "refused": 2},
		Seconds: 1.5, Within: map[float64]uint64{.1: 5, 1: 6}, Number: 6}}
}

func answerCache() metrics.AnswerCache {
	return metrics.AnswerCache{Answers: 3, Bytes: 2000, Hits: 7, Misses: 5, Evictions: 1}
}

func TestGuardsAndCache(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	if err := m.WatchGuards(guardChecks, answerCache); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	const node = `node_id="id",node_type="bctr"`
	for _, want := range []string{
		`tutti_ai_guard_checks_total{guard="words",` + node + `,result="refused",stage="request"} 2`,
		`tutti_ai_guard_seconds_bucket{guard="words",` + node + `,stage="request",le="0.1"} 5`,
		`tutti_ai_guard_seconds_sum{guard="words",` + node + `,stage="request"} 1.5`,
		`tutti_ai_guard_seconds_count{guard="words",` + node + `,stage="request"} 6`,
		`tutti_ai_cache_lookups_total{` + node + `,result="hit"} 7`,
		`tutti_ai_cache_lookups_total{` + node + `,result="miss"} 5`,
		`tutti_ai_cache_answers{` + node + `} 3`, `tutti_ai_cache_bytes{` + node + `} 2000`,
		`tutti_ai_cache_evictions_total{` + node + `} 1`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
