package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// lockName is the file in the data directory that a node on the chain holds.
const lockName = "chain.lock"

// dataLock keeps a second process from the account's transactions: two that share
// a journal take each other's numbers.
type dataLock struct{ file *os.File }

// lockData takes the lock. A directory that another process uses is the fault
// DataDirInUse.
func lockData(dir string) (*dataLock, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fault.Wrap(fault.DataDirUnusable, "open "+path, err)
	}
	if err := lockFile(f); err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 32))
		_ = f.Close()
		return nil, fault.New(fault.DataDirInUse, "lock the data directory", fmt.Sprintf("%s is held by process %s", path, strings.TrimSpace(string(holder))))
	}
	if err := f.Truncate(0); err == nil {
		_, _ = fmt.Fprintf(f, "%d\n", os.Getpid())
	}
	return &dataLock{f}, nil
}

// Name is the component's name.
func (*dataLock) Name() string { return "data directory" }

// Run holds the lock until everything else has stopped. The system frees it when
// the process ends, however that happens.
func (l *dataLock) Run(ctx context.Context, ready func()) error {
	ready()
	<-ctx.Done()
	return l.file.Close()
}
