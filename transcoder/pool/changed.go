package pool

import "time"

// changeDelay gathers changes that come together, as when many transcoders come back
// at once, into one call.
const changeDelay = 100 * time.Millisecond

// changed has whoever asked for it told, soon and once, that the devices that are
// ready, or their offers, are others.
func (p *Pool) changed() {
	if p.o.Changed == nil || !p.telling.CompareAndSwap(false, true) {
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
		// What changes from here on is told by another call.
		p.telling.Store(false)
		p.o.Changed()
	})
	if !started {
		p.telling.Store(false)
	}
}

// spawn runs f beside everything else; Close waits for it. It reports false when the
// pool is closed.
func (p *Pool) spawn(f func()) bool {
	p.life.Lock()
	defer p.life.Unlock()
	if p.closed.Load() {
		return false
	}
	p.wg.Go(f)
	return true
}

// remote notes a change of what the transcoders on other machines are or carry.
func (p *Pool) remote(number, capacity, load int) {
	n := p.remotes.number.Add(int64(number))
	c := p.remotes.capacity.Add(int64(capacity))
	l := p.remotes.load.Add(int64(load))
	p.o.Recorder.Transcoders(int(n), int(c), int(l))
}
