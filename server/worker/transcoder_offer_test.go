package worker

import (
	"crypto/rand"
	"testing"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/test/coretest"
)

// An estimate that wavers is offered once; a change that matters is offered again.
func TestOfferIsSteady(t *testing.T) {
	t.Parallel()
	capacity, can := 100, capability.Default()
	device := Device{Name: "0", Kind: "NVIDIA L4"}
	c, err := NewTranscoder(TranscoderOptions{
		Orchestrators: []string{"host:8935"}, Secret: core.NewSecret("s"), Transcoder: new(coretest.Fake),
		Random:       rand.Reader,
		Capacity:     func() int { return capacity },
		Capabilities: func() capability.Capabilities { return capability.Offer(can, "0.9.1") },
		Devices:      func() []Device { return []Device{device} },
		Chance:       func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	w := work{c}
	offered := w.Offer()
	same := func(what string, want bool) {
		t.Helper()
		if got := string(w.Offer()) == string(offered); got != want {
			t.Errorf("%s: same %v", what, got)
		}
	}
	capacity, device.Sessions, device.Limit = 105, 3, 9
	same("a tenth more", true)
	capacity = 94
	same("a tenth less", true)
	capacity = 120
	same("a fifth more", false)
	if w.Urgent(offered, w.Offer()) {
		t.Error("growth presses")
	}
	capacity = 50
	if w.Offer(); !w.Urgent(offered, w.Offer()) {
		t.Error("half of it does not press")
	}
	capacity, can = 100, can.Without(capability.H264)
	if !w.Urgent(offered, w.Offer()) {
		t.Error("a lost capability does not press")
	}
	capacity = 0
	if w.Offer() != nil {
		t.Error("an offer without capacity")
	}
}
