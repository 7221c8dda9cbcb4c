package metrics_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/metrics"
)

func batches() metrics.Batches {
	return metrics.Batches{Batches: map[string]int64{"in_progress": 2}, Ended: map[string]int64{"expired": 1},
		Running: 3, Waiting: 40, Lines: map[string]int64{"failed": 5}, Bytes: 600, Storage: 7000}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	m := metrics.New(metrics.Options{NodeID: "id"})
	if err := m.WatchBatches(batches); err != nil {
		t.Fatal(err)
	}
	text := scrape(t, m)
	const node = `node_id="id",node_type="bctr"`
	for _, want := range []string{
		`tutti_ai_batches{` + node + `,status="in_progress"} 2`, `tutti_ai_batches_total{` + node + `,status="expired"} 1`,
		`tutti_ai_batch_lines_total{` + node + `,result="failed"} 5`, `tutti_ai_batch_lines_in_progress{` + node + `} 3`,
		`tutti_ai_batch_lines_waiting{` + node + `} 40`, `tutti_ai_batch_bytes{` + node + `} 600`,
		`tutti_ai_batch_bytes_limit{` + node + `} 7000`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
