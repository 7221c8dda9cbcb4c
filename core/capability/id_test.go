package capability_test

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, row := range readVectors(t).Names {
		want := row.Name
		if row.ID == 13 {
			want = "capability 13"
		}
		if got := row.ID.String(); got != want {
			t.Errorf("%d is %q, want %q", int(row.ID), got, want)
		}
	}
	for id, want := range map[capability.ID]string{
		capability.Unused: "capability -1", capability.Invalid: "capability -2", 38: "capability 38",
	} {
		if got := id.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestPipelines(t *testing.T) {
	t.Parallel()
	for _, row := range readVectors(t).Pipelines {
		id, err := capability.FromPipeline(row.Pipeline)
		if id != row.Capability || (err == nil) != (row.Error == "") {
			t.Errorf("%s: %v, %v, want %v", row.Pipeline, int(id), err, int(row.Capability))
		}
		if err != nil && (!errors.Is(err, capability.ErrPipeline) || err.Error() != row.Error) {
			t.Errorf("%s: error %q, want %q", row.Pipeline, err, row.Error)
		}
		if err == nil && row.Pipeline != "H.264" && id.Pipeline() != row.Pipeline {
			t.Errorf("%v as a pipeline is %q, want %q", id, id.Pipeline(), row.Pipeline)
		}
	}
	for _, name := range []string{"", "-", "nothing", "Text to image2"} {
		if id, err := capability.FromPipeline(name); err == nil {
			t.Errorf("%q is %v", name, id)
		}
	}
	if got := capability.ID(13).Pipeline(); got != "" {
		t.Errorf("13 as a pipeline is %q", got)
	}
}
