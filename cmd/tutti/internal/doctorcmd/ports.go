package doctorcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/cmd/tutti_cli/node"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
)

func (l *look) ports(ctx context.Context) ([]doctor.Port, error) {
	var out []doctor.Port
	up := l.up(ctx)
	for _, w := range l.listeners() {
		p := doctor.Port{Purpose: w.purpose, Address: w.at.Addr()}
		if w.at.Port != 0 {
			tryListen(ctx, &p, w.at, up)
		}
		out = append(out, p)
	}
	return out, nil
}

type listener struct {
	purpose string
	at      config.ListenAddr
}

// listeners returns those that the configuration opens.
func (l *look) listeners() (out []listener) {
	a, r := l.cfg.Addresses, l.cfg.Roles
	add := func(on bool, purpose string, at config.ListenAddr) {
		if on && (at.Port != 0 || at.Host != "") {
			out = append(out, listener{purpose, at})
		}
	}
	add(r.Orchestrator && !a.Service.None, "public", a.OrchestratorListen)
	add(r.Gateway, "gateway", a.GatewayListen)
	add(r.Gateway, "rtmp", a.RTMPListen)
	add(r.Redeemer, "redeemer", a.RedeemerListen)
	add(r.RemoteSigner, "remote signer", a.RedeemerListen)
	add(a.AdminSocket == "", "admin", a.AdminListen)
	return out
}

// tryListen finds out whether an address is free. It binds to it for a moment and does
// not listen, so that a node which starts in that moment gets it all the same. up: a node
// of this configuration runs, so that what tutti holds is its.
func tryListen(ctx context.Context, p *doctor.Port, at config.ListenAddr, up bool) {
	err := bindable(ctx, at.Addr())
	if err == nil {
		return
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		p.Denied = reason(err)
		return
	}
	name, pid := node.PortUser(at.Port)
	switch {
	case pid != 0:
		p.Taken = fmt.Sprintf("%s (process %d)", name, pid)
	default:
		p.Taken = "another process"
	}
	p.Ours = up && (pid == 0 || name == "tutti" || name == program())
	// A socket unit opens the port for the node, before the node as well as beside it.
	p.Socket = (pid == 0 || pid == 1 && name == "systemd") && len(socketUnits("/")) > 0
}

// program is this one's name, as the kernel has it.
func program() string {
	text, _ := os.ReadFile("/proc/self/comm")
	return strings.TrimSpace(string(text))
}

// reason returns the system's own word for why.
func reason(err error) string {
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return no.Error()
	}
	return err.Error()
}
