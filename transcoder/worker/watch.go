package worker

import (
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// sendPings sends heartbeats. It may block in a send to a child that does not read; watch
// detects that and kills the child.
func (p *process) sendPings() {
	ticker := time.NewTicker(p.o.times.heartbeat)
	defer ticker.Stop()
	for n := uint64(1); ; n++ {
		p.pings.Add(1)
		if err := p.conn.Send(TypePing, n, nil); err != nil {
			return
		}
		select {
		case <-p.gone:
			return
		case <-ticker.C:
		}
	}
}

// watch kills a child that misses its heartbeats or uses too much memory or too many threads.
//
// It counts ticks, not time: while the whole machine is suspended no ticks come. A stopped
// child gets a second. A child without CPU time on an overloaded machine gets
// longer, because a replacement would add to the load.
func (p *process) watch() {
	ticker := time.NewTicker(p.o.times.heartbeat)
	defer ticker.Stop()
	pid := p.cmd.Process.Pid
	threads := sandbox.Threads()
	seen, silent := p.received.Load(), 0
	for {
		select {
		case <-p.gone:
			return
		case <-ticker.C:
		}
		if now := p.received.Load(); now != seen {
			seen, silent = now, 0
		} else {
			silent++
		}
		if silent >= p.o.times.starved || silent >= p.o.times.silence && halted(pid) {
			p.kill(fault.New(fault.WorkerUnresponsive, "transcode",
				fmt.Sprintf("no heartbeat for %v", time.Duration(silent)*p.o.times.heartbeat)))
			return
		}
		if p.hasStuckRequest() {
			p.kill(fault.New(fault.WorkerUnresponsive, "transcode",
				fmt.Sprintf("a canceled segment has not ended in %v", p.o.times.stuck)))
			return
		}
		if p.oomScored && sandbox.ScoreLowered(pid) {
			p.kill(fault.New(fault.WorkerProtocol, "transcode",
				"it lowered its oom_score_adj, by which the kernel chooses what ends for want of memory"))
			return
		}
		if err := p.excess(pid, threads); err != nil {
			p.kill(err)
			return
		}
	}
}

// excess returns the fault of a child that exceeds its limits.
func (p *process) excess(pid, threads int) *fault.Fault {
	detail := ""
	used, has := usedBytes(pid), threadsOf(pid)
	switch {
	case p.o.Memory > 0 && used > p.o.Memory:
		detail = fmt.Sprintf("%d MB in use, %d MB allowed", used>>20, p.o.Memory>>20)
	case has > threads:
		detail = fmt.Sprintf("%d threads, %d allowed", has, threads)
	default:
		return nil
	}
	return fault.New(fault.WorkerOutOfMemory, "transcode", detail)
}
