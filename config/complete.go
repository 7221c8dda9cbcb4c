package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// completeDataDir derives the state directory from home and network.
func (l *loader) completeDataDir() {
	dir := &l.config.Storage.DataDir
	switch {
	case !l.valid("dataDir", "network"):
	case *dir == "" && l.in.Home == "":
		l.problem(&Problem{Code: fault.MissingOption, Subject: "-dataDir",
			Text:   "the user has no home directory to keep the node's state in",
			Remedy: "write -dataDir /path, or set HOME"})
	case *dir == "":
		*dir = filepath.Join(l.in.Home, ".tutti", l.config.Chain.Network)
	case l.in.OldNode != nil && l.in.OldNode(*dir):
		l.besideOld(dir)
	}
}

// besideOld leaves an existing node's data directory alone: what this node keeps goes
// to a directory of its own, one for each of theirs.
func (l *loader) besideOld(dir *string) {
	old, network := filepath.Clean(*dir), l.config.Chain.Network
	l.config.Storage.OldDataDir = old
	switch {
	case l.in.Home == "":
		*dir = old + ".tutti"
	case old == filepath.Join(l.in.Home, ".lpData", network):
		*dir = filepath.Join(l.in.Home, ".tutti", network)
	default:
		*dir = filepath.Join(l.in.Home, ".tutti", network+"@"+strings.ReplaceAll(strings.Trim(old, "/"), "/", "-"))
	}
	if g, ok := l.given("dataDir"); ok {
		l.addNotice(g, "is the existing node's and stays as it is; this node keeps its state in "+*dir+", and "+
			"takes keys and unredeemed tickets over from there (see -moveFrom)")
	}
}

// Ports of the network's roles.
const (
	gatewayPort     = 9935
	rtmpPort        = 1935
	orchestratorCLI = 7935
	transcoderCLI   = 6935
	gatewayCLI      = 5935
	aiWorkerCLI     = 4935
	remoteSignerCLI = 3935
	livePort        = 7290
	loopback        = "127.0.0.1"
)

// completeAddresses applies roles and defaults to the listening addresses.
func (l *loader) completeAddresses() {
	a, r := &l.config.Addresses, l.config.Roles
	if r.Orchestrator && a.Service.IsZero() && l.valid("serviceAddr") && l.config.Chain.Offchain() {
		a.Service = ServiceAddr{HostPort: HostPort{Host: loopback, Port: DefaultServicePort}}
		l.notices = append(l.notices, Notice{Subject: "-serviceAddr",
			Text: "not given, so 127.0.0.1:8935 is advertised, which only gateways on this machine reach; write " +
				"-serviceAddr host:port with the address that gateways see"})
	}
	servicePort := DefaultServicePort
	if !a.Service.HostPort.IsZero() {
		servicePort = a.Service.Port
	}
	a.OrchestratorListen = a.httpAddr.listen("", servicePort)
	a.GatewayListen = a.gatewayAddr.listen(loopback, gatewayPort)
	a.RedeemerListen = a.httpAddr.listen(loopback, DefaultServicePort)
	if r.Gateway && !r.Orchestrator && a.httpAddr.given {
		if a.gatewayAddr.given && a.httpAddr != a.gatewayAddr {
			l.reportOption(fault.OptionConflict, "gatewayAddr",
				"-httpAddr means the same on a gateway without orchestrator and has another value", "keep one of them")
		} else {
			a.GatewayListen = a.httpAddr.listen(loopback, gatewayPort)
		}
	}
	a.AdminListen = a.cliAddr.listen(loopback, r.adminPort())
	if g := &l.config.LiveGateway; g.mediaAddr.given {
		g.Media = g.mediaAddr.listen("0.0.0.0", livePort)
	}
	l.completePublish()
	l.validateListeners()
	discovers := !l.config.Chain.Offchain() || !l.config.Selection.Webhook.IsZero() || !l.config.Signer.URL.IsZero()
	if r.Gateway && !r.Orchestrator && len(a.Orchestrators) == 0 && !discovers &&
		l.valid("orchAddr", "orchestrator", "orchWebhookUrl", "network") {
		l.reportOption(fault.MissingOption, "orchAddr", "a gateway needs orchestrators to give its work to",
			"write -orchAddr host:8935[,host:8935…], add -orchestrator -transcoder, or name a -network to find "+
				"registered ones")
	}
}

// adminPort returns the admin API's port by role.
func (r Roles) adminPort() int {
	switch {
	case r.RemoteSigner:
		return remoteSignerCLI
	case r.Orchestrator:
		return orchestratorCLI
	case r.Transcoder:
		return transcoderCLI
	case r.AIWorker:
		return aiWorkerCLI
	case r.Gateway:
		return gatewayCLI
	}
	return orchestratorCLI
}

// judgeListeners reports two listeners at one address.
func (l *loader) validateListeners() {
	if !l.valid("serviceAddr", "httpAddr", "gatewayAddr", "cliAddr") {
		return
	}
	a, r := l.config.Addresses, l.config.Roles
	gatewayOption := "gatewayAddr"
	if r.Gateway && !r.Orchestrator && a.httpAddr.given {
		gatewayOption = "httpAddr"
	}
	orchestratorOption := "serviceAddr"
	if a.httpAddr.given && a.httpAddr.port >= 0 {
		orchestratorOption = "httpAddr"
	}
	type listener struct {
		option string
		ListenAddr
	}
	var open []listener
	if r.Orchestrator {
		open = append(open, listener{orchestratorOption, a.OrchestratorListen})
	}
	if r.Gateway {
		open = append(open, listener{gatewayOption, a.GatewayListen})
	}
	if r.Router {
		open = append(open, listener{"httpAddr", a.OrchestratorListen})
	}
	if r.Redeemer || r.RemoteSigner {
		open = append(open, listener{"httpAddr", a.RedeemerListen})
	}
	open = append(open, listener{"cliAddr", a.AdminListen})
	for i, one := range open {
		j := slices.IndexFunc(open[:i], func(o listener) bool { return o.overlaps(one.ListenAddr) })
		if j >= 0 {
			l.reportOption(fault.OptionConflict, one.option,
				"it listens on "+one.Addr()+", where -"+open[j].option+" listens on "+open[j].Addr()+" already",
				"give one of them another port")
		}
	}
}

// completeSessions leaves the number of sessions to the workers where some of them are
// elsewhere: each says how many it takes.
func (l *loader) completeSessions() {
	if _, given := l.given("maxSessions"); !given && l.config.Roles.Orchestrator &&
		(!l.config.Roles.Transcoder || !l.config.Addresses.OrchSecret.IsZero()) {
		l.config.Limits.MaxSessions = Sessions{Auto: true}
	}
}

// completeGateway applies the rules for "unset".
func (l *loader) completeGateway() {
	g := &l.config.Gateway
	g.LocalVerify = g.localVerify.Or(!l.config.Chain.Offchain())
	open := l.config.Addresses.GatewayListen.Loopback() || !g.AuthWebhook.IsZero()
	g.HTTPIngest = g.httpIngest.Or(open)
	g.OpenIngest = g.httpIngest == On && !l.config.Addresses.GatewayListen.Loopback()
	if l.config.Roles.Gateway && !g.HTTPIngest && g.httpIngest == Unset {
		l.notices = append(l.notices, Notice{Subject: "-httpIngest",
			Text: "off, because the gateway listens on " + l.config.Addresses.GatewayListen.Addr() +
				" and every host there could push; write -httpIngest to take segments all the same"})
	}
}
