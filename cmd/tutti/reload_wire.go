package main

import (
	"errors"
	"os"
	"time"

	"github.com/tuttinode/tutti/cmd/tutti/internal/command"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/server/admin"
)

// addProcess gives the admin API what changes the process itself.
func (n *node) addProcess(opt *admin.Options) {
	p := n.process
	d := &drainer{log: n.log, now: time.Now, stop: func(sig os.Signal) {
		select {
		case p.signals <- sig:
		default: // it is told already
		}
	}}
	if n.live.rules != nil {
		d.work = n.live.rules
	}
	p.drain = d
	p.reload = newReloader(n, func() (*config.Config, []config.Notice, error) {
		cfg, notices, err := config.Load(command.Input(os.Args[1:]))
		if err == nil && cfg.Process.Informational() {
			err = errors.New("the command line asks for information only")
		}
		return cfg, notices, err
	})
	opt.Reloader, opt.Drains, opt.Upgrader = p, d, p
	opt.Listener = p.sockets.take(socketAdmin)
	n.add(&reporter{manager: p.manager, status: p.status, proofs: p.proofs(n)})
}
