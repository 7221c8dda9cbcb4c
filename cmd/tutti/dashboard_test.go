package main

import (
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/orchestratorstatus"
)

// A node whose doors are open and that no gateway finds says so at its doors.
func TestDoorsOfANodeThatNobodyFinds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		state  orchestratorstatus.State
		code   string
		reason bool
	}{
		{orchestratorstatus.Active, "", false}, {orchestratorstatus.Leaving, "", false}, {orchestratorstatus.Waiting, "", true},
		{orchestratorstatus.Unregistered, "NotRegistered", true}, {orchestratorstatus.Inactive, "InactiveOrchestrator", true},
	} {
		doors := []adminapi.WorkKind{{Name: "video", Open: true}, {Name: "AI", Code: "NoModels", Reason: "no model is ready"}}
		unseen(doors, &orchestratorstatus.Status{State: tt.state, ActiveFrom: 8})
		if d := doors[0]; !d.Open || d.Code != tt.code || (d.Reason != "") != tt.reason {
			t.Errorf("%s: %+v", tt.state, d)
		}
		if d := doors[1]; d.Code != "NoModels" || d.Reason != "no model is ready" {
			t.Errorf("%s: a door that is shut says %+v", tt.state, d)
		}
	}
}
