// Command supervisor runs a Docker Engine of its own for one test process, and
// leaves nothing behind however that process ends. Only package engine starts it,
// as the first process of new PID and mount namespaces, so that its end takes
// every process and mount of the engine along.
//
// It prints "ready <address>" on standard output, or one line of what failed,
// and ends when its standard input does, which the kernel sees to when the test
// process is killed. It is not meant for anything but tests.
package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// run takes a free working directory, has the engine run there, and cleans up.
func run() error {
	// Where this program was built into is ours to remove.
	if self, err := os.Executable(); err == nil {
		defer os.RemoveAll(filepath.Dir(self))
	}
	if err := privateMounts(); err != nil {
		return err
	}
	workdir, err := takeWorkdir(os.TempDir())
	if err != nil {
		return err
	}
	defer workdir.release()
	if err := workdir.bridge.up(); err != nil {
		return err
	}
	daemon, err := startDaemon(workdir)
	if err != nil {
		return err
	}
	defer daemon.stop()
	if err := daemon.await(); err != nil {
		return err
	}
	fmt.Println("ready", workdir.address())
	select {
	case <-ended(os.Stdin):
		return nil
	case <-daemon.exited:
		return fmt.Errorf("dockerd ended: %s", daemon.lastWords())
	}
}

// ended is closed when nothing more comes from r.
func ended(r io.Reader) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, r)
	}()
	return done
}
