package probe_test

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/devices"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// The CPU can decode all that is tried and encode H.264 alone: what
// capability.SoftwareTranscoder says of every build is so in this one.
func TestTheProcessor(t *testing.T) {
	t.Parallel()
	c, err := worker.Start(t.Context(), worker.Options{Device: "cpu", Args: []string{childArg}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	d := devices.NewDevice(c, devices.ProbeOptions{Streams: 1})
	r := d.Test(t.Context())
	if r.Fault != nil {
		t.Fatal(r.Fault)
	}
	t.Logf("%+v", r)
	if want := capability.SoftwareTranscoder(); !r.Capabilities.In(want) || !want.In(r.Capabilities) {
		t.Errorf("has %v", r.Capabilities.IDs())
	}
	if len(r.Missing) != 1 || r.Missing[0].ID != capability.HEVCEncode ||
		!errors.Is(r.Missing[0].Err, fault.EncoderNotFound) {
		t.Errorf("missing %+v", r.Missing)
	}
	if r.EncoderSessions != 0 || r.SessionMemory != 0 || r.Cost <= 0 {
		t.Errorf("measured %+v", r)
	}
	if err := d.Reprobe(t.Context()); err != nil {
		t.Error(err)
	}
}
