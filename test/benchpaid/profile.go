package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/test/figures"
)

// inBackground writes CPU profiles of the paid pair, where they are asked for, while
// something else is done; the function that it returns waits for them.
func (s settings) inBackground(ctx context.Context, w *world, name string) func() error {
	if s.profile == "" {
		return func() error { return nil }
	}
	var (
		wg   sync.WaitGroup
		errs [2]error
	)
	for i, n := range []*node{w.paid.orchestrator, w.paid.gateway} {
		if n == nil {
			continue
		}
		wg.Go(func() {
			path := filepath.Join(s.profile, name+"-"+strings.ReplaceAll(n.name, " ", "-")+".pprof")
			errs[i] = figures.Profile(ctx, n.admin, n.dir, path, int(s.load.Seconds()*0.8))
		})
	}
	return func() error {
		wg.Wait()
		return errors.Join(errs[:]...)
	}
}
