package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// places is how many engines a machine has at once: one per test process.
const places = 32

// workdir is a directory and a network that belong to one engine.
type workdir struct {
	lock   *os.File
	dir    string
	bridge bridge
}

// takeWorkdir finds a directory that no engine holds and clears what an earlier holder
// that was killed left there. The lock ends with this process.
func takeWorkdir(parent string) (*workdir, error) {
	for n := range places {
		lock, err := takeLock(filepath.Join(parent, fmt.Sprintf("tutti-engine-%d.lock", n)))
		if err != nil {
			return nil, err
		}
		if lock == nil {
			continue
		}
		p := &workdir{lock: lock, dir: filepath.Join(parent, fmt.Sprintf("tutti-engine-%d", n)), bridge: bridge{n}}
		if err := os.RemoveAll(p.dir); err != nil {
			return nil, err
		}
		return p, os.Mkdir(p.dir, 0o711)
	}
	return nil, fmt.Errorf("%d engines run already", places)
}

// takeLock is nil where someone holds the lock.
func takeLock(path string) (*os.File, error) {
	lock, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	// The process that ends removes the file: what was locked may be no longer there, and
	// another may hold its successor.
	mine, err := lock.Stat()
	if now, gone := os.Stat(path); err != nil || gone != nil || !os.SameFile(mine, now) {
		lock.Close()
		return nil, nil
	}
	return lock, nil
}

func (p *workdir) path(name string) string { return filepath.Join(p.dir, name) }

// address is where the engine listens.
func (p *workdir) address() string { return "unix://" + p.path("docker.sock") }

func (p *workdir) release() {
	p.bridge.down()
	_ = os.RemoveAll(p.dir)
	_ = os.Remove(p.lock.Name())
	_ = p.lock.Close()
}
