package adminview

import (
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/inference"
)

// A node that takes work and that no gateway finds reports it at each kind of work.
func TestWorkOfANodeThatNoGatewayFinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state  adminapi.PublicState
		code   string
		reason bool
	}{
		{adminapi.PublicActive, "", false}, {adminapi.PublicLeaving, "", false},
		{adminapi.PublicWaiting, "", true},
		{adminapi.PublicUnregistered, "NotRegistered", true}, {adminapi.PublicInactive, "InactiveOrchestrator", true},
	} {
		kinds := []adminapi.WorkKind{{Name: "video", Open: true}, {Name: "AI", Code: "NoModels", Reason: "no model is ready"}}
		notFound(kinds, &adminapi.PublicStatus{State: tt.state, ActiveFrom: 8})
		if d := kinds[0]; !d.Open || d.Code != tt.code || (d.Reason != "") != tt.reason {
			t.Errorf("%s: %+v", tt.state, d)
		}
		if d := kinds[1]; d.Code != "NoModels" || d.Reason != "no model is ready" {
			t.Errorf("%s: closed work says %+v", tt.state, d)
		}
	}
}

// Models for an orchestrator elsewhere take work while one is ready and an orchestrator knows of it.
func TestModelsForAnOrchestrator(t *testing.T) {
	t.Parallel()
	ready := []inference.ModelState{{State: inference.Ready}}
	for name, row := range map[string]struct {
		states []inference.ModelState
		away   string
		open   bool
		code   string
	}{
		"ready":        {ready, "", true, ""},
		"unregistered": {ready, "connection refused", false, "WorkerNotRegistered"},
		"no model":     {nil, "", false, ""},
	} {
		d := modelWork("AI", row.states, row.away, false)
		if d.Open != row.open || d.Code != row.code || d.Open == (d.Reason != "") {
			t.Errorf("%s: %+v", name, d)
		}
	}
}
