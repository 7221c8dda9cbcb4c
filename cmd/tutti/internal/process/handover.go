package process

import (
	"context"
	"os"
	"sync"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// giveUp ends a process that did not come up.
func (s *successor) giveUp() {
	_ = s.cmd.Process.Kill()
	<-s.ended
	_ = s.conn.Close()
}

// abandon gives a process up that is not needed any more.
func (s *successor) abandon() {
	s.giveUp()
	CloseAll(s.files)
}

// handOver gives the state, and waits until the other serves.
func (s *successor) handOver(ctx context.Context, w *handoverState) error {
	if err := s.give(w); err != nil {
		return err
	}
	return s.await(ctx, wordReady, upTime)
}

func (s *successor) give(w *handoverState) error {
	_ = s.conn.SetWriteDeadline(time.Now().Add(waitingTime))
	return s.out.Encode(w)
}

// end is what becomes of a successor when the parts of this process have stopped: it
// takes the place, unless the node was to stop meanwhile.
func (p *Process) end(ctx context.Context, s *successor, failure error) error {
	if p.stopAsked() {
		s.abandon()
		return failure
	}
	w := &handoverState{Token: p.Token, AfterEnd: failure != nil}
	if p.node.Rules != nil {
		w.Orchestrator = p.node.Rules.HandoverState()
	}
	if p.node.Live != nil {
		live := p.node.Live.State()
		w.Live = &live
	}
	if failure == nil {
		return p.leave(ctx, s, w)
	}
	// What goes on here may hold the data directory: only the end of this process frees it.
	if err := s.give(w); err != nil {
		p.log.Warn("the new process could not be given the place", "err", err)
		s.abandon()
		return failure
	}
	p.manager.successor(s.cmd.Process.Pid)
	return failure
}

// leave is the end of the old process, whose parts have stopped.
func (p *Process) leave(ctx context.Context, s *successor, w *handoverState) error {
	alive := p.manager.keepAlive(ctx)
	defer alive()
	defer func() { CloseAll(s.files) }()
	if err := s.handOver(ctx, w); err != nil {
		s.giveUp()
		p.log.Warn("the new process does not serve; the program as it was is started again",
			fault.Attr(fault.Wrap(fault.UpgradeFailed, "upgrade", err)))
		again, err := begin(ctx, itself, s.names, s.cards, s.files)
		if err == nil {
			s, err = again, again.handOver(ctx, w)
		}
		if err != nil {
			return fault.Wrap(fault.UpgradeFailed, "start the program as it was", err)
		}
	}
	alive()
	// Or they would stay open, with no process that accepts, when the other one ends.
	CloseAll(s.files)
	p.manager.successor(s.cmd.Process.Pid)
	p.log.Info("another process serves", "process", s.cmd.Process.Pid)
	return p.finish(ctx, s)
}

// finish waits for the answers that go on here, or for a signal.
func (p *Process) finish(ctx context.Context, s *successor) error {
	p.passOn(s)
	answers := p.node.answers()
	if len(answers) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, answersTime)
	defer cancel()
	go p.untilAsked(ctx, s, cancel)
	if p.node.shares() {
		run, flush := share(p.node.linkAfter, s.conn, s.in, s.out)
		defer flush() // the last charges of requests
		go run()
	}
	if p.node.Live != nil {
		go p.node.Live.TellUsed(ctx)
	}
	var all sync.WaitGroup
	for _, a := range answers {
		if left := a.Unfinished(); left > 0 {
			p.log.Info("answers that were under way are finished here", "answers", left)
		}
		all.Go(func() {
			if err := a.Finish(ctx); err != nil {
				p.log.Warn("answers are cut off: their time is over", "err", err)
			}
		})
	}
	all.Wait()
	if p.node.Live != nil {
		p.node.Live.AwaitBefore(ctx)
	}
	return nil
}

// passOn gives signals to the other process that came before it had the place: they were
// meant for the node. A terminal's go to both anyway.
func (p *Process) passOn(s *successor) {
	for _, sig := range p.signals.waiting() {
		if sig != os.Interrupt {
			_ = s.cmd.Process.Signal(sig)
		}
	}
}

// untilAsked calls cancel for a signal that asks to stop, and when the other process has
// failed: a service manager waits for the end of both before it starts the node again.
func (p *Process) untilAsked(ctx context.Context, s *successor, cancel func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
			if !s.cmd.ProcessState.Success() {
				p.log.Warn("the process that took over has failed", "process", s.cmd.Process.Pid,
					"state", s.cmd.ProcessState.String())
				cancel()
			}
			return
		case <-p.signals.stops:
			cancel()
			return
		}
	}
}

// CloseAll closes files that another process has as well; their errors do not matter.
func CloseAll(files []*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}
