package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
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
			errs[i] = n.profile(ctx, path, int(s.load.Seconds()*0.8))
		})
	}
	return func() error {
		wg.Wait()
		return errors.Join(errs[:]...)
	}
}

// profile writes what a process does with its CPU time for some seconds.
func (n *node) profile(ctx context.Context, path string, seconds int) error {
	token, err := os.ReadFile(filepath.Join(n.dir, "admin.token"))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", n.admin, max(1, seconds)), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("profile of the %s: %s: %s", n.name, resp.Status, text)
	}
	return errors.Join(err, os.WriteFile(path, text, 0o600))
}
