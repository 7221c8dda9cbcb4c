package logging

import (
	"context"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/lifecycle"
)

// probeEvery is how often a log that cannot be written is tried without a line.
const probeEvery = 10 * time.Second

// watcher shows on the board that lines are lost. It is a lifecycle component.
type watcher struct {
	out   *output
	board *health.Board
}

// Watch returns the component that shows on board that the log cannot be written.
func (s *Sink) Watch(board *health.Board) lifecycle.Component { return &watcher{s.out, board} }

// Name names the component.
func (w *watcher) Name() string { return "log" }

// Run follows the log until ctx ends.
func (w *watcher) Run(ctx context.Context, ready func()) error {
	ready()
	ticker := time.NewTicker(probeEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.out.changed:
		case <-ticker.C:
		}
		w.look()
	}
}

// look sets or clears the condition. Setting it writes a line, which is lost like
// the others, and changes nothing: the detail has no count in it.
func (w *watcher) look() {
	key := health.Key{Code: fault.LogLost}
	if problem := w.out.probe(); problem != "" {
		w.board.Set(key, problem)
	} else {
		w.board.Clear(key)
	}
}
