package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/tuttinode/tutti/test/figures"
)

// profileSeconds is how long the nodes are profiled: while every way is measured at least once.
const profileSeconds = 20

// profile writes CPU profiles of all nodes into a folder while something is measured; the function that it
// returns waits for them. Without a folder it does nothing.
func (b *testbed) profile(ctx context.Context, folder, title string) (wait func() error, err error) {
	if folder == "" {
		return func() error { return nil }, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	var wg sync.WaitGroup
	errs := make([]error, len(b.nodes))
	for i, n := range b.nodes {
		wg.Go(func() {
			name := strings.ReplaceAll(title+"-"+n.name, " ", "-") + ".pprof"
			errs[i] = figures.Profile(ctx, n.admin, n.dir, filepath.Join(folder, name), profileSeconds)
		})
	}
	return func() error {
		wg.Wait()
		return errors.Join(errs...)
	}, nil
}
