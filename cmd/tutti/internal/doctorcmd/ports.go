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

func (in *inspection) ports(ctx context.Context) ([]doctor.Port, error) {
	var out []doctor.Port
	nodeRuns := in.up(ctx)
	for _, l := range in.listeners() {
		p := doctor.Port{Purpose: l.purpose, Address: l.addr.Addr()}
		if l.addr.Port != 0 {
			tryListen(ctx, &p, l.addr, nodeRuns)
		}
		out = append(out, p)
	}
	return out, nil
}

type listener struct {
	purpose string
	addr    config.ListenAddr
}

// listeners returns those that the configuration opens.
func (in *inspection) listeners() (out []listener) {
	a, r := in.cfg.Addresses, in.cfg.Roles
	add := func(on bool, purpose string, addr config.ListenAddr) {
		if on && (addr.Port != 0 || addr.Host != "") {
			out = append(out, listener{purpose, addr})
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
// not listen, so that a node which starts in that moment still gets it. nodeRuns: a node of this
// configuration runs, so ports held by a process named tutti belong to that node.
func tryListen(ctx context.Context, p *doctor.Port, addr config.ListenAddr, nodeRuns bool) {
	err := checkBind(ctx, addr.Addr())
	if err == nil {
		return
	}
	if !errors.Is(err, syscall.EADDRINUSE) {
		p.Denied = reason(err)
		return
	}
	name, pid := node.PortUser(addr.Port)
	switch {
	case pid != 0:
		p.Taken = fmt.Sprintf("%s (process %d)", name, pid)
	default:
		p.Taken = "another process"
	}
	p.Ours = nodeRuns && (pid == 0 || name == "tutti" || name == program())
	// systemd may hold the port for a socket unit both before the node starts and while it runs.
	p.Socket = (pid == 0 || pid == 1 && name == "systemd") && len(socketUnits("/")) > 0
}

// program returns the name of this process as the kernel has it.
func program() string {
	text, _ := os.ReadFile("/proc/self/comm")
	return strings.TrimSpace(string(text))
}

// reason returns the operating system's text for an error.
func reason(err error) string {
	if no, ok := errors.AsType[syscall.Errno](err); ok {
		return no.Error()
	}
	return err.Error()
}
