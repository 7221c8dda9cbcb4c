package doctor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// certificateExpiringSoon is how long before its expiry a certificate is reported.
const certificateExpiringSoon = 14 * 24 * time.Hour

func networkChecks() []Check {
	serves := func(s *Setup) bool { return s.Roles.Orchestrator && s.Serves }
	const noServing = "this process takes no work from gateways"
	address := func(check func(*World, Address) Observation) func(context.Context, *World) Observation {
		return skipUnless(serves, noServing, probeCheck(func(w *World) Probe[Address] { return w.Address }, check))
	}
	return []Check{
		{
			Name: "network.ports", Group: GroupNetwork, Title: "the node's ports are free, or its own",
			Fails: codes(fault.ListenFailed), run: checkPorts("public", "gateway", "rtmp", "redeemer", "remote signer"),
		},
		{
			Name: "network.admin", Group: GroupNetwork, Title: "the admin port is free, or the node's",
			Fails: codes(fault.ListenFailed), Warns: codes(fault.AdminAuditFailed), run: checkPorts("admin"),
		},
		{
			Name: "network.address", Group: GroupNetwork,
			Title: "the service address can be reached from the internet",
			run:   skipUnless(serves, noServing, checkAddress),
			Fails: codes(fault.ServiceAddrInvalid), Warns: codes(fault.ServiceAddrPrivate),
		},
		{
			Name: "network.dns", Group: GroupNetwork, Title: "the service address resolves",
			Fails: codes(fault.ServiceAddrUnresolved), run: address(checkDNS),
		},
		{
			Name: "network.match", Group: GroupNetwork, Title: "the registered address is where the node is",
			Fails: codes(fault.ServiceAddrMismatch), Warns: codes(fault.PublicIPUnknown), run: address(checkMatch),
		},
		{
			Name: "network.reach", Group: GroupNetwork, Title: "gateways get through to the node",
			Fails: codes(fault.PortClosed, fault.ServiceAddrForeign),
			Warns: codes(fault.PortUnverified, fault.SessionCleanup), run: address(checkReach),
		},
		{
			Name: "network.certificate", Group: GroupNetwork, Title: "the listener's certificate is valid",
			Fails: codes(fault.CertificateUnusable, fault.CertificateKeyMismatch, fault.CertificateExpired),
			Warns: codes(fault.CertificateEnding),
			run:   probeCheck(func(w *World) Probe[Certificate] { return w.Cert }, checkCertificate),
		},
		{
			Name: "network.orchestrator", Group: GroupNetwork, Title: "the orchestrators that were named answer",
			Fails: codes(fault.OrchestratorUnreachable, fault.WorkerSecretRefused, fault.WorkerNotRegistered,
				fault.WorkerTLSFiles),
			Warns: codes(fault.OrchestratorSilent, fault.WorkerSameOrchestrator),
			run:   probeCheck(func(w *World) Probe[[]Peer] { return w.Peers }, checkPeers),
		},
	}
}

func checkPorts(purposes ...string) func(context.Context, *World) Observation {
	return probeCheck(func(w *World) Probe[[]Port] { return w.Ports }, func(_ *World, ports []Port) Observation {
		var s Observation
		var seen []string
		for _, p := range ports {
			if !strings.Contains(" "+strings.Join(purposes, " ")+" ", " "+p.Purpose+" ") {
				continue
			}
			switch {
			case p.Denied != "":
				s.Findings = append(s.Findings, Finding{Code: fault.ListenFailed, Detail: p.Purpose + " " +
					p.Address + ": " + p.Denied})
			case p.Ours:
				seen = append(seen, p.Purpose+" "+p.Address+" is the running node's")
			case p.Socket:
				seen = append(seen, p.Purpose+" "+p.Address+" is held open for the node by its socket unit")
			case p.Taken != "":
				s.Findings = append(s.Findings, Finding{Code: fault.ListenFailed, Detail: p.Purpose + " " +
					p.Address + " is held by " + p.Taken})
			default:
				seen = append(seen, p.Purpose+" "+p.Address+" is free")
			}
		}
		if len(seen) == 0 && len(s.Findings) == 0 {
			return skip("this process listens on none")
		}
		s.Evidence = strings.Join(seen, ", ")
		return s
	})
}

func checkAddress(_ context.Context, w *World) Observation {
	s := &w.Setup
	switch {
	case s.ServiceAddr == "":
		return pass("-serviceAddr is not given: the registered or discovered address is used")
	case s.Private && !s.OffChain:
		return finding(fault.ServiceAddrPrivate, s.ServiceAddr)
	}
	return pass(s.ServiceAddr)
}

func checkDNS(w *World, a Address) Observation {
	switch {
	case w.Setup.Host == "" && len(a.Resolved) == 0:
		return skip("no host name was chosen")
	case len(a.Resolved) == 0:
		return finding(fault.ServiceAddrUnresolved, w.Setup.Host+" has no address")
	}
	if a.Resolved[0] == w.Setup.Host {
		return pass("an IP address needs no name server")
	}
	return pass(w.Setup.Host + " is " + strings.Join(a.Resolved, ", "))
}

func checkMatch(w *World, a Address) Observation {
	switch {
	case w.Setup.OffChain:
		return skip("off-chain: nothing is registered")
	case a.OnChain == "" && len(a.Findings) == 0:
		return skip("nothing is registered, or the chain could not be asked")
	}
	return withEvidence(a.Findings, fmt.Sprintf("registered %s, seen at %s", listed([]string{a.OnChain}, "-"),
		orDash(a.Discovered)))
}

func checkReach(_ *World, a Address) Observation {
	for _, f := range a.Findings {
		if f.Code == fault.PortClosed || f.Code == fault.ServiceAddrForeign || f.Code == fault.PortUnverified {
			return withEvidence(a.Findings, "")
		}
	}
	if !a.Reached {
		return skip("not tried: no address is known, or -startupAvailabilityCheck=false")
	}
	return pass(a.Advertised + " leads here")
}

func checkCertificate(w *World, c Certificate) Observation {
	if len(c.Findings) > 0 {
		return withEvidence(c.Findings, "")
	}
	now := w.Now()
	switch {
	case c.To.IsZero():
		return skip("none was made yet; the node makes one at start")
	case now.After(c.To) || now.Before(c.From):
		if !c.Own {
			return pass("the node's own has ended; it makes another at start")
		}
		return finding(fault.CertificateExpired, fmt.Sprintf("valid from %s to %s", c.From.Format(time.DateOnly),
			c.To.Format(time.DateOnly)))
	case c.Own && c.To.Sub(now) < certificateExpiringSoon:
		return finding(fault.CertificateEnding, "ends on "+c.To.Format(time.DateOnly))
	}
	return pass("valid until " + c.To.Format(time.DateOnly))
}

func checkPeers(_ *World, peers []Peer) Observation {
	if len(peers) == 0 {
		return skip("no orchestrator was named")
	}
	var s Observation
	var good []string
	for _, p := range peers {
		if p.Err == nil {
			good = append(good, p.Address)
			continue
		}
		s.Findings = append(s.Findings, Finding{Code: fault.OrchestratorUnreachable, Detail: p.Address + ": " +
			firstLine(p.Err.Error())})
	}
	// The node can work while some of several peers are unreachable.
	if len(good) > 0 {
		for i := range s.Findings {
			s.Findings[i].Code = fault.OrchestratorSilent
		}
	}
	s.Evidence = strings.Join(good, ", ") + " answer"
	if len(good) == 1 {
		s.Evidence += "s"
	}
	return s
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
