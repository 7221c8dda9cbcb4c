package process

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/pm"
	"github.com/tuttinode/tutti/server/byoc"
	"github.com/tuttinode/tutti/server/liverunner"
	"github.com/tuttinode/tutti/server/orchestrator"
)

// Parts are what the process needs of the node that it runs.
type Parts struct {
	// Rules and listener are nil on a node that is no orchestrator.
	Rules    *orchestrate.Orchestrator
	Listener *orchestrator.Server
	// Gateway has answers that go on after an upgrade; nil on a node that is none.
	Gateway LastAnswers
	// Live serves live runners; nil on a node without them.
	Live *liverunner.Server
	// Capabilities serves external capabilities; nil on a node without them.
	Capabilities *byoc.Server
	// Books have bills of work that ends after an upgrade; nil on a node that earns nothing.
	Books  LateBooks
	Board  *health.Board
	Reload func(ctx context.Context, dry bool) (adminapi.Reloaded, error)
	// Sockets are the listening sockets with their names, for another process.
	Sockets func() (names string, files []*os.File, err error)
	// Cards is what was found of the node's GPUs, "" for none.
	Cards func() string
	// Prove returns when every part that must move has moved.
	Prove func(ctx context.Context) error
}

// LateBooks are the ledger of an old process.
type LateBooks interface {
	// LateDebits sends what is billed after the end of the ledger.
	LateDebits(send func([]pm.Debit))
}

// LastAnswers are those that end in the old process of an upgrade.
type LastAnswers interface {
	// Unfinished returns how many there are.
	Unfinished() int
	// Finish waits until they have ended, or for ctx or a limit of its own, and ends the rest.
	Finish(ctx context.Context) error
}

// answers are the node's.
func (n *Parts) answers() (all []LastAnswers) {
	if n.Listener != nil {
		all = append(all, n.Listener)
	}
	if n.Gateway != nil {
		all = append(all, n.Gateway)
	}
	return all
}

// Attach makes n the node that the process runs, and returns its drain and the component that
// sends the service manager its status.
func (p *Process) Attach(n *Parts) (*drainer, lifecycle.Component) {
	p.node = n
	p.drain = &drainer{log: p.log, now: time.Now, stop: p.signals.request}
	switch {
	case n.Rules != nil && n.Live != nil:
		p.drain.work = withLive{n.Rules, n.Live}
	case n.Rules != nil:
		p.drain.work = n.Rules
	}
	if n.Listener != nil {
		p.drain.lasting = n.Listener.Work()
	}
	return p.drain, &reporter{manager: p.manager, status: p.status, proofs: p.proofs}
}

// withLive is the work of an orchestrator with live runners.
type withLive struct {
	drainable
	live *liverunner.Server
}

func (w withLive) Pause() {
	w.drainable.Pause()
	w.live.Pause()
}

func (w withLive) Resume() bool {
	if !w.drainable.Resume() {
		return false
	}
	w.live.Resume()
	return true
}

// ReloadFault says in one fault why nothing was taken over.
func ReloadFault(err error) error {
	return &fault.Fault{Code: fault.ReloadFailed, Op: "read the configuration again",
		Detail: strings.ReplaceAll(err.Error(), "\n", "; "), Err: err}
}
