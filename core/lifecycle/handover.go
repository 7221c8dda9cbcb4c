package lifecycle

import (
	"context"
	"slices"
)

// A SocketOwner is a Component that can hand its listening socket over to a successor process, or
// something else that outlives it, such as containers. HandOver returns when no request is in
// progress that would be cut off at the end of Run, or when ctx ends; Run still goes on. It is
// called at most once, from another goroutine than Run's.
type SocketOwner interface {
	HandOver(ctx context.Context) error
}

// handOver calls all SocketOwners concurrently: each has a socket of its own.
func (r *run) handOver() {
	ctx, cancel := context.WithTimeout(r.base, r.opts.HandOverTimeout)
	defer cancel()
	done := make(chan struct{})
	n := 0
	for _, p := range slices.Backward(r.parts) {
		l, ok := p.component.(SocketOwner)
		if !ok || p.ended() {
			continue
		}
		n++
		go func() {
			if err := l.HandOver(ctx); err != nil {
				r.log.Warn("requests are cut short by the change of process", "component", p.component.Name(), "err",
					err)
			}
			done <- struct{}{}
		}()
	}
	for range n {
		<-done
	}
}
