package worker_test

import (
	"net/netip"
	"testing"

	"github.com/tuttinode/tutti/server/worker"
)

// An orchestrator leads its worker to where it is itself, to public addresses, and no
// farther into the worker's surroundings than it is there.
func TestWhereAnOrchestratorMayLead(t *testing.T) {
	const public, lan, cgnat, loopback, linkLocal = "1.1.1.1", "10.1.2.3", "100.64.1.1", "127.0.0.1", "169.254.169.254"
	for _, row := range []struct {
		orchestrator, worker, to string
		may                      bool
	}{
		{public, "10.9.9.9", "8.8.8.8", true},
		{public, "10.9.9.9", lan, false},
		{public, "10.9.9.9", cgnat, false},
		{public, "10.9.9.9", loopback, false},
		{public, "10.9.9.9", "::ffff:10.1.2.3", false},
		{public, "10.9.9.9", "0.0.0.0", false},
		{public, "10.9.9.9", linkLocal, false},
		{public, "10.9.9.9", "fd00:ec2::254", false},
		{lan, "10.9.9.9", lan, true},
		{lan, "10.9.9.9", "192.168.7.7", true},
		{lan, "10.9.9.9", cgnat, true},
		{lan, "10.9.9.9", "8.8.8.8", true},
		{lan, "10.9.9.9", loopback, false},
		{lan, "10.9.9.9", "::", false},
		{lan, "10.9.9.9", linkLocal, false},
		{lan, lan, loopback, true}, // it is on this machine, by another of its addresses
		{cgnat, "100.64.1.2", lan, true},
		{"::ffff:127.0.0.1", "127.0.0.1", loopback, true},
		{loopback, loopback, "::1", true},
		{loopback, loopback, lan, true},
		{loopback, loopback, linkLocal, false},
		{lan, "10.9.9.9", "fd00:ec2::254", false},
		{loopback, loopback, "100.100.100.200", false},
		{loopback, loopback, "fd12:3456::7", true},
		{linkLocal, "169.254.1.1", linkLocal, true},
		{linkLocal, "169.254.1.1", "169.254.5.5", false},
	} {
		o := worker.OriginOf(netip.MustParseAddr(row.orchestrator), netip.MustParseAddr(row.worker))
		if err := o.Permit(netip.MustParseAddr(row.to)); (err == nil) != row.may {
			t.Errorf("from %s to %s: %v", row.orchestrator, row.to, err)
		}
	}
	if (worker.Origin{}).Permit(netip.MustParseAddr(lan)) == nil {
		t.Error("one that is not known leads into private networks")
	}
}
