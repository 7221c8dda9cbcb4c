package doctor_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

func names(host string) []netip.Addr {
	if host == "h.example.org" {
		return []netip.Addr{netip.MustParseAddr("::ffff:198.51.100.7")}
	}
	return nil
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, onChain, discovered, chosen string
		text                              string
		unknown                           bool
	}{
		{name: "same", onChain: "https://198.51.100.7:8935", discovered: "https://198.51.100.7:8935"},
		{name: "name of the same", onChain: "https://h.example.org:8935", discovered: "https://198.51.100.7:8935"},
		{name: "nothing registered", discovered: "https://198.51.100.7:8935"},
		{name: "not discovered", onChain: "https://198.51.100.7:8935"},
		{name: "chosen", onChain: "https://h.example.org:8935", discovered: "https://203.0.113.1:8935",
			chosen: "https://H.example.org:8935"},
		{name: "other host", onChain: "https://198.51.100.8:8935", discovered: "https://198.51.100.7:8935",
			text: "did not match discovered address https://198.51.100.7:8935; set the correct address in tutti_cli or use " +
				"-serviceAddr"},
		{name: "other port", onChain: "https://198.51.100.7:8936", discovered: "https://198.51.100.7:8935",
			text: "did not match discovered address"},
		{name: "name that does not resolve", onChain: "https://gone.example.org:8935",
			discovered: "https://198.51.100.7:8935", unknown: true},
		{name: "other family", onChain: "https://[2001:db8::1]:8935", discovered: "https://198.51.100.7:8935", unknown: true},
		{name: "name of another machine", onChain: "https://h.example.org:8935", discovered: "https://198.51.100.8:8935",
			text: "did not match discovered address"},
		{name: "default ports", onChain: "http://198.51.100.7:80", discovered: "http://198.51.100.7"},
		{name: "chosen differs", onChain: "https://h.example.org:8935", chosen: "https://198.51.100.9:8935",
			text: "differs from -serviceAddr https://198.51.100.9:8935"},
		{name: "nonsense registered", onChain: "nonsense", discovered: "https://198.51.100.7:8935",
			text: "did not match discovered address"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err, known := doctor.CompareAddresses(c.onChain, c.discovered, c.chosen, names)
			if known == c.unknown {
				t.Errorf("known: %v", known)
			}
			if (err != nil) != (c.text != "") {
				t.Fatalf("%v", err)
			}
			if err != nil && (!errors.Is(err, fault.ServiceAddrMismatch) || !strings.Contains(err.Error(), c.text)) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestClassify(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		e     doctor.ReachEvidence
		reach doctor.Reach
		code  fault.Code
	}{
		{"reached", doctor.ReachEvidence{Answered: true, Ours: true}, doctor.Reachable, ""},
		{"own public interface, without leaving the machine", doctor.ReachEvidence{Answered: true, Ours: true, Local: true},
			doctor.ReachUnverified, fault.PortUnverified},
		{"own public interface, visited", doctor.ReachEvidence{Answered: true, Ours: true, Local: true, Outside: true},
			doctor.Reachable, ""},
		{"another server", doctor.ReachEvidence{Answered: true}, doctor.ReachForeign, fault.ServiceAddrForeign},
		{"own interface", doctor.ReachEvidence{Local: true}, doctor.ReachClosed, fault.PortClosed},
		{"behind a router", doctor.ReachEvidence{}, doctor.ReachUnverified, fault.PortUnverified},
		{"behind a router, visited", doctor.ReachEvidence{Outside: true}, doctor.ReachHairpin, ""},
	} {
		reach, err := doctor.ClassifyReach("https://198.51.100.7:8935", c.e)
		if reach != c.reach || (c.code == "") != (err == nil) || err != nil && !errors.Is(err, c.code) {
			t.Errorf("%s: %s, %v", c.name, reach, err)
		}
	}
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	for uri, private := range map[string]bool{
		"https://127.0.0.1:8935": true, "https://10.1.2.3:8935": true, "https://192.168.1.1:8935": true,
		"https://100.64.3.4:8935": true,
		"https://[::1]:8935":      true, "https://[fd00::1]:8935": true, "https://localhost:8935": true,
		"https://gpu1:8935": true, "nonsense": true,
		"https://h.example.org:8935": false, "https://198.51.100.7:8935": false, "https://[2001:db8::1]:8935": false,
	} {
		if got := doctor.PrivateURI(uri); got != private {
			t.Errorf("%s: %v", uri, got)
		}
	}
}
