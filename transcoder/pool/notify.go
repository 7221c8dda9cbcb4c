package pool

import "time"

// changeDelay combines changes into one call, as when many transcoders reconnect at once.
const changeDelay = 100 * time.Millisecond

// notifyChanged calls Options.Changed once, soon after the ready devices or their offers
// changed.
func (p *Pool) notifyChanged() {
	if p.o.Changed == nil || !p.notifying.CompareAndSwap(false, true) {
		return
	}
	started := p.spawn(func() {
		timer := time.NewTimer(changeDelay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-p.done:
			return
		}
		// Changes from here on make another call.
		p.notifying.Store(false)
		p.o.Changed()
	})
	if !started {
		p.notifying.Store(false)
	}
}

// spawn runs f in a goroutine that Close waits for. It reports false when the pool is
// closed.
func (p *Pool) spawn(f func()) bool {
	p.lifeMu.Lock()
	defer p.lifeMu.Unlock()
	if p.closed.Load() {
		return false
	}
	p.wg.Go(f)
	return true
}

// countRemote records a change of the remote transcoders' number, capacity or load.
func (p *Pool) countRemote(number, capacity, load int) {
	n := p.remotes.number.Add(int64(number))
	c := p.remotes.capacity.Add(int64(capacity))
	l := p.remotes.load.Add(int64(load))
	p.o.Recorder.Transcoders(int(n), int(c), int(l))
}
