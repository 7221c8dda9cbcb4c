package transcoders_test

import (
	"context"
	"crypto/rand"
	mathrand "math/rand/v2"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/worker"
	"github.com/tuttinode/tutti/test/coretest"
)

// The tutti worker, whole, at a listener that serves registrations itself.
func TestOurOwnWorker(t *testing.T) {
	t.Parallel()
	n := start(t)
	c, err := worker.NewTranscoder(worker.TranscoderOptions{
		Orchestrators: []string{n.addr()}, Secret: core.NewSecret("next"), Name: "rig7", Version: "0.9.1",
		Transcoder: new(coretest.Fake), Capacity: func() int { return 5 },
		Capabilities: func() capability.Capabilities { return capability.Offer(capability.Default(), "0.9.1") },
		Random:       rand.Reader, Chance: mathrand.Float64,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- c.Run(ctx, func() {}) }()
	a := n.next(t)
	if o, _ := a.state(); o.Sessions != 5 || a.Device.Device() != "rig7" {
		t.Errorf("%s offers %+v", a.Device.Device(), o)
	}
	for i := range 3 {
		res, err := a.Transcode(t.Context(), segment("s", i))
		if err != nil || len(res.Renditions) != 2 || !strings.HasPrefix(res.Worker, "rig7") {
			t.Errorf("%+v, %v", res, err)
		}
	}
	bad := segment("s", 4)
	bad.Input = []byte(coretest.FakeBad)
	if _, err := a.Transcode(t.Context(), bad); fault.CodeOf(err) == fault.TranscoderFailed || err == nil {
		t.Errorf("of a bad segment it says %v", err)
	}
	a.EndSession("s")
	if err := c.Drain(t.Context()); err != nil {
		t.Error(err)
	}
	a.awaitDetached(t)
	if cs := n.board.Snapshot(); len(cs) != 0 {
		t.Errorf("a worker that deregistered is missed: %v", cs)
	}
	cancel()
	await(t, ran)
}
