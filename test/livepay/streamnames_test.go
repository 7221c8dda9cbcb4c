package livepay

import (
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/test/byoc"
)

// TestStreamIdsAreOneGatewaysOwn: a gateway that uses another's id takes it from none, and neither gateway's calls
// reach the other's stream at the capability, which gets another name for the second one.
func TestStreamIdsAreOneGatewaysOwn(t *testing.T) {
	t.Parallel()
	r := newCapabilityRig(t)
	thief := r.from("127.0.0.1", 8)
	const start, update, stop = "/ai/stream/start", "/ai/stream/update", "/ai/stream/stop"
	job := byoc.Job{ID: "mine", Request: "{}", Parameters: "{}", Capability: "cap", Timeout: 60}
	last := func() string {
		seen := r.worker.Seen()
		return seen[len(seen)-1].Headers["X-Stream-Id"]
	}
	r.is("the thief's", r.run(thief, start, job, thief.Paid("cap", 70)), http.StatusOK, "")
	taken := last()
	r.is("the owner's", r.run(r.Client, start, job, r.Paid("cap", 70)), http.StatusOK, "")
	own := last()
	if taken != "mine" || own == taken {
		t.Errorf("the capability knows the streams as %q and %q", taken, own)
	}
	r.is("again", r.run(r.Client, start, job, r.Paid("cap", 70)), http.StatusInternalServerError, "")
	r.is("a payment", r.run(r.Client, "/ai/stream/payment", streamCall("mine"), r.Paid("cap", 1)), http.StatusOK, "")
	for _, call := range []struct {
		what, path, name string
		by               *byoc.Client
	}{
		{"the owner's update", update, own, r.Client},
		{"the thief's update", update, taken, thief},
		{"the thief's stop", stop, taken, thief},
		{"the owner's update after it", update, own, r.Client},
		{"the owner's stop", stop, own, r.Client},
	} {
		r.is(call.what, r.run(call.by, call.path, streamCall("mine"), ""), http.StatusOK, "")
		if got := last(); got != call.name {
			t.Errorf("%s reaches %q at the capability, want %q", call.what, got, call.name)
		}
	}
	if n := r.listener.Capabilities.Streams(); n != 0 {
		t.Error(n, "streams are left")
	}
	r.is("the name is free", r.run(r.Client, start, job, r.Paid("cap", 70)), http.StatusOK, "")
	if got := last(); got != "mine" {
		t.Errorf("the capability knows it as %q", got)
	}
}

// TestAStreamThatCannotBeginCostsNothing: where the capability's server cannot be reached nothing was done. What the
// server refuses costs a second, so that a gateway's many starts are not free.
func TestAStreamThatCannotBeginCostsNothing(t *testing.T) {
	t.Parallel()
	r := newCapabilityRig(t)
	const start = "/ai/stream/start"
	job := byoc.Job{ID: "mine", Request: "{}", Parameters: "{}", Capability: "cap", Timeout: 60}
	payment := r.Paid("cap", 90)
	r.worker.Close()
	r.is("a server that is not there", r.run(r.Client, start, job, payment), http.StatusInternalServerError, "")
	if _, units, _ := r.account(r.Client); units != 0 {
		t.Errorf("%d seconds are charged for nothing", units)
	}
}
