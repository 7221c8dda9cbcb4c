package remote_test

import (
	"testing"

	"github.com/tuttinode/tutti/server/remote"
)

// A result that is being read, and of which nothing will come, is not waited for.
func TestSettle(t *testing.T) {
	t.Parallel()
	tasks := remote.NewTasks[string](1)
	task := tasks.Open("rig")
	claim, err := tasks.Claim(task.ID, "rig")
	if err != nil || claim == nil {
		t.Fatal(claim, err)
	}
	if tasks.Settle(task.ID, "another", "x") || tasks.Settle(task.ID+1, "rig", "x") {
		t.Error("another's task was settled")
	}
	if !tasks.Settle(task.ID, "rig", "lost") || tasks.Settle(task.ID, "rig", "again") {
		t.Error("it is not settled once")
	}
	if claim.Deliver("late") {
		t.Error("the first one came through")
	}
	if got := <-task.Result(); got != "lost" {
		t.Error(got)
	}
}
