package main

import (
	"errors"
	"os"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/server/admin"
)

// addProcess gives the admin API what changes the process itself.
func (n *node) addProcess(opt *admin.Options) {
	p := n.process
	r := newReloader(n, func() (*config.Config, []config.Notice, error) {
		cfg, notices, err := config.Load(command.Input(os.Args[1:]))
		if err == nil && cfg.Process.Informational() {
			err = errors.New("the command line asks for information only")
		}
		return cfg, notices, err
	})
	drain, reporter := p.Attach(&process.Parts{
		Rules: n.live.rules, Listener: n.live.listener, Board: n.board, Reload: r.Reload,
		Sockets: n.ownSockets, Cards: n.handedCards, Prove: n.proofs,
	})
	opt.Node.Reload, opt.Node.Drains, opt.Node.Upgrade = p.Reload, drain, p.Upgrade
	opt.Listener = p.Sockets.Take(process.SocketAdmin)
	n.add(reporter)
}
