package feed

import (
	"context"
	"time"
)

// Run builds documents while there are readers, until ctx ends; then all readers end.
func (f *Feed[T]) Run(ctx context.Context) {
	defer f.end()
	quiet := 0
	timer := time.NewTimer(f.o.Interval)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.wake:
		}
		for f.hasReaders() {
			timer.Reset(f.o.Interval)
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			if f.look(ctx) {
				quiet = 0
			} else if quiet++; quiet%beatEvery == 0 {
				f.send(beat)
			}
		}
	}
}

// look makes the document and reports whether it changed.
func (f *Feed[T]) look(ctx context.Context) bool {
	f.making.Lock()
	defer f.making.Unlock()
	return f.renew(ctx)
}

func (f *Feed[T]) hasReaders() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.readers) > 0
}

func (f *Feed[T]) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	for r := range f.readers {
		delete(f.readers, r)
		close(r.events)
	}
}

// renew makes the document again where the last is older than the interval, and tells
// the readers what changed. The caller holds making.
func (f *Feed[T]) renew(ctx context.Context) (changed bool) {
	now := f.o.Now()
	if f.known && now.Sub(f.at) < f.o.Interval*9/10 {
		return false
	}
	next := f.o.Make(ctx)
	f.made++
	var appended Appended
	if f.known && f.o.Newer != nil {
		appended = f.o.Newer(f.latest, next)
	}
	parts, err := split(next)
	if err != nil {
		return false // a document that cannot be written stays as it was
	}
	event := parts.update(f.fields, appended)
	f.latest, f.fields, f.at, f.known = next, parts, now, true
	f.send(event)
	return event != nil
}
