package lifecycle

import (
	"context"
	"slices"
)

// A Leaver is a Component that can leave its place to another process, which shares
// its socket. Leave returns when nothing is in hand that would end with Run, or when
// ctx ends; Run still goes on. It is called at most once, from another goroutine than
// Run's.
type Leaver interface {
	Leave(ctx context.Context) error
}

// leave calls the Leavers, all at once: each has a socket of its own.
func (r *run) leave() {
	ctx, cancel := context.WithTimeout(r.base, r.opts.LeaveTimeout)
	defer cancel()
	done := make(chan struct{})
	n := 0
	for _, p := range slices.Backward(r.parts) {
		l, ok := p.component.(Leaver)
		if !ok || p.ended() {
			continue
		}
		n++
		go func() {
			if err := l.Leave(ctx); err != nil {
				r.log.Warn("requests are cut short by the change of process", "component", p.component.Name(), "err", err)
			}
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
}
