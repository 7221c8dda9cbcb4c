package pool_test

import (
	"context"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/pool"
)

// TestWorkerIsNamed: the books say which device did a segment, also one that was
// done in a process of its own.
func TestWorkerIsNamed(t *testing.T) {
	t.Parallel()
	crash := func(context.Context, int, *core.TranscodeJob) error {
		return fault.New(fault.WorkerCrashed, "transcode", "as asked")
	}
	for _, tc := range []struct {
		engine transcoder.Engine
		want   string
	}{
		{&coretest.Fake{}, "cpu"},
		{&coretest.Fake{Name: "0"}, "gpu 0"},
		{&coretest.Fake{Name: "12"}, "gpu 12"},
		{&process{Fake: &coretest.Fake{Name: "3", On: crash}}, "gpu 3"},
	} {
		p := pool.New([]transcoder.Engine{tc.engine}, pool.Options{MaxSessions: 1})
		res, err := p.Transcode(t.Context(), segment("s", 0))
		if err != nil || res.Worker != tc.want {
			t.Errorf("%+v, %v; want %s", res, err, tc.want)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}
