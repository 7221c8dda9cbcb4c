package nodedb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/lifecycle"
)

// LockName is the file in the data directory that a node on the chain holds.
const LockName = "chain.lock"

// dataLock keeps a second process from what one process writes: two that share a journal
// take each other's transaction numbers.
type dataLock struct{ file *os.File }

// LockNames returns the locks that a process with this configuration holds in its data
// directory. One process on the chain uses a directory, because the account is one; besides,
// one process of each role, because an orchestrator's or a gateway's files are one set.
// Processes of different roles off-chain may share a directory, as those of the existing
// node do where several run on one machine with its default.
func LockNames(cfg *config.Config) (names []string) {
	if !cfg.Chain.Offchain() {
		names = append(names, LockName)
	}
	r := cfg.Roles
	for _, role := range []struct {
		played bool
		name   string
	}{
		{r.Orchestrator, "orchestrator.lock"}, {r.Gateway, "gateway.lock"}, {r.Redeemer, "redeemer.lock"},
		{r.Router, "router.lock"}, {r.RemoteSigner, "signer.lock"},
		{r.Transcoder && !r.Orchestrator, "transcoder.lock"}, {r.AIWorker && !r.Orchestrator, "aiWorker.lock"},
	} {
		if role.played {
			names = append(names, role.name)
		}
	}
	return names
}

// LockAll takes the node's locks. Off-chain a file system that knows no locks is
// no reason not to start: there is no account to protect.
func LockAll(cfg *config.Config, log *slog.Logger) (locks []lifecycle.Component, err error) {
	for _, name := range LockNames(cfg) {
		lock, err := Lock(cfg.Storage.DataDir, name)
		if err != nil && cfg.Chain.Offchain() && !errors.Is(err, fault.DataDirInUse) {
			log.Warn("the data directory is not locked", fault.Attr(err))
			continue
		}
		if err != nil {
			return nil, err
		}
		locks = append(locks, lock)
	}
	return locks, nil
}

// Lock takes one lock. A directory that another process uses is the fault
// DataDirInUse.
func Lock(dir, name string) (*dataLock, error) {
	path := filepath.Join(dir, name)
	// Root locks directories of the service, too, and empties the file: a link could point to any file.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.DataDirUnusable, "open "+path, err)
	}
	held, err := lockFile(f)
	switch {
	case held:
		holder, _ := io.ReadAll(io.LimitReader(f, 32)) // without a number it is still in use
		_ = f.Close()
		return nil, fault.New(fault.DataDirInUse, "lock the data directory",
			fmt.Sprintf("%s is held by process %s", path, strings.TrimSpace(string(holder))))
	case err != nil:
		_ = f.Close()
		return nil, fault.Wrap(fault.DataDirUnusable, "lock "+path, err)
	}
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	return &dataLock{f}, nil
}

// Name returns the component's name.
func (*dataLock) Name() string { return "data directory" }

// Run holds the lock until everything else has stopped. The system frees it when
// the process ends, however that happens.
func (l *dataLock) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	return l.Close()
}

// Close frees the lock.
func (l *dataLock) Close() error { return l.file.Close() }
