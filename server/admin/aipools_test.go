package admin_test

import (
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/admin"
)

type pools []airouting.Snapshot

func (p pools) Pools() []airouting.Snapshot { return p }

func TestAIPools(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	status := func(uri string, warm bool, inFlight int, resting time.Time) airouting.Status {
		return airouting.Status{
			Offer: airouting.Offer{URI: uri, Warm: warm}, InFlight: inFlight, FirstByte: 250 * time.Millisecond,
			Resting: resting,
		}
	}
	for name, row := range map[string]struct {
		pools pools
		want  string
	}{
		"none": {nil, "{}\n"},
		"one": {pools{{
			Model: inference.Model{Capability: capability.LLM, ID: "org/model"}, Refreshed: at,
			Statuses: []airouting.Status{
				status("https://a:1", true, 2, time.Time{}), status("https://b:1", true, 0, time.Time{}),
				status("https://c:1", true, 1, at),
			},
		}}, `{"33_org/model":{"warm":{"size":2,"in_use":1,"orchestrators":[{"url":"https://a:1","latency_score":0.25,` +
			`"in_flight":2},` +
			`{"url":"https://b:1","latency_score":0.25,"in_flight":0}]},"cold":{"size":0,"in_use":0,"orchestrators":[]},` +
			`"last_refresh":"2026-03-01T12:00:00Z","suspended":{"list":["https://c:1"],"current_count":1}}}` + "\n"},
	} {
		s := newServer(&node{}, func(o *admin.Options) { o.Work.AIPools = row.pools.Pools })
		if got := ask(s, "GET", "/getAISessionPoolsInfo", ""); got.Code != 200 || got.Body.String() != row.want {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
	}
	if got := ask(newServer(&node{}, nil), "GET", "/getAISessionPoolsInfo", ""); got.Code != 404 {
		t.Errorf("on a node that is no gateway: %d", got.Code)
	}
}
