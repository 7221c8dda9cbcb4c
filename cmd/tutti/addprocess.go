package main

import (
	"errors"
	"os"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/server/admin"
)

// addProcess gives the admin API the actions on the process itself: reload, drain and upgrade.
func (n *node) addProcess(opt *admin.Options) {
	p := n.Process
	n.Reloader = nodeenv.NewReloader(n.Env, func() (*config.Config, []config.Notice, error) {
		cfg, notices, err := config.Load(command.Input(os.Args[1:]))
		if err == nil && cfg.Process.Informational() {
			err = errors.New("the command line asks for information only")
		}
		return cfg, notices, err
	}, n.reloadSteps())
	parts := process.Parts{
		Board: n.Board, Reload: n.Reloader.Reload, Sockets: n.ownSockets, Cards: n.Media.FindingsText, Prove: n.proofs,
	}
	if n.Orchestrator != nil {
		parts.Rules, parts.Listener, parts.Live = n.Orchestrator.Rules, n.Orchestrator.Server, n.Orchestrator.Live()
		parts.Capabilities = n.Orchestrator.Capabilities()
		if n.Earning != nil {
			parts.Books = n.Earning.Ledger
		}
	}
	if n.Gateway != nil {
		parts.Gateway = n.Gateway
	}
	drain, reporter := p.Attach(&parts)
	opt.Node.Reload, opt.Node.Drains, opt.Node.Upgrade = p.Reload, drain, p.Upgrade
	opt.Listener = p.Sockets.Take(process.SocketAdmin)
	n.Add(reporter)
}
