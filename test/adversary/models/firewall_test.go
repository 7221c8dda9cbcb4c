package models_test

import (
	"net"
	"net/netip"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"

	"github.com/tuttinode/tutti/test/engine"
)

// rule is what the unit that the packages bring does to the firewall, for the interface of one
// container instead of all that begin with tutti.
func rule(t *testing.T, what, device string) []string {
	t.Helper()
	unit, err := os.ReadFile("../../../deploy/systemd/tutti-containers.service")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^` + what + `=-/usr/sbin/iptables (.*)$`).FindSubmatch(unit)
	if found == nil || !strings.Contains(string(found[1]), " -i tutti+ ") {
		t.Fatalf("the unit has no rule in %s", what)
	}
	return strings.Fields(strings.Replace(string(found[1]), "tutti+", device, 1))
}

// machineOf is the machine's address in a container's own network: its first.
func machineOf(c container.InspectResponse) string {
	for _, at := range c.NetworkSettings.Networks {
		return netip.PrefixFrom(at.IPAddress, at.IPPrefixLen).Masked().Addr().Next().String()
	}
	return ""
}

// device is the machine's interface with an address.
func device(t *testing.T, ip string) string {
	t.Helper()
	list, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		addrs, _ := i.Addrs()
		for _, a := range addrs {
			if n, ok := a.(*net.IPNet); ok && n.IP.String() == ip {
				return i.Name
			}
		}
	}
	t.Fatalf("the machine has no address %s", ip)
	return ""
}

// TestMachineBehindItsFirewall: with the rule that the packages install a model's container reaches no address
// of its machine, and the node still reaches the container.
func TestMachineBehindItsFirewall(t *testing.T) {
	t.Parallel()
	e := engine.Start(t)
	n := start(t, e, []entry{hostile(t, e, "own/hostile")})
	const model = "own/hostile"
	machine := machineOf(n.container(model))
	name := device(t, machine)
	if !strings.HasPrefix(name, "tutti") {
		t.Fatalf("the rule is not for %s", name)
	}
	addr, met := canary(t, machine)
	packets := packetCanary(t, machine)
	if o := n.attempt(model, "dial", addr); !o.Done {
		t.Fatalf("the machine is not reached without the rule, so this shows nothing: %+v", o)
	}
	n.Wait("the connection", 10*time.Second, func() bool { return met.Load() == 1 })

	if err := engine.Iptables(rule(t, "ExecStart", name)...); err != nil {
		t.Fatal(err)
	}
	remove := rule(t, "ExecStop", name)
	t.Cleanup(func() { _ = engine.Iptables(remove...) }) // after a failure; else it is gone
	n.allFail(model, "dial", addr)
	n.attempt(model, "dial udp", packets.LocalAddr().String())
	if tcp, udp := met.Load() != 1, received(t, packets); tcp || udp {
		t.Errorf("the container reached the machine: TCP %v, UDP %v", tcp, udp)
	}
	if o := n.attempt(model, "read", "/models/weights"); o.Text != "good weights" {
		t.Errorf("the node does not reach the container: %+v", o)
	}
	if err := engine.Iptables(remove...); err != nil {
		t.Fatal(err)
	}
	if o := n.attempt(model, "dial", addr); !o.Done {
		t.Errorf("the rule stays: %+v", o)
	}
}
