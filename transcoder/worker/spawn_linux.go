package worker

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// command makes the child's command. ours is our end of its socket; the child's
// end travels as descriptor 3, the arena as 4. The caller closes the child's end
// after the start.
func command(
	o Options, level isolation, says io.Writer, arena *os.File,
) (cmd *exec.Cmd, ours io.ReadWriteCloser, theirs io.Closer, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("make the worker's socket: %w", err)
	}
	child := os.NewFile(uintptr(fds[1]), "worker")
	file := os.NewFile(uintptr(fds[0]), "control")
	defer file.Close()
	if ours, err = net.FileConn(file); err != nil {
		child.Close()
		return nil, nil, nil, fmt.Errorf("use the worker's socket: %w", err)
	}
	cmd = &exec.Cmd{
		Path: o.Path, Args: append([]string{"tutti"}, o.Args...), Env: append(environment(o), level.environment(o)...),
		Dir:    "/",
		Stdout: says, Stderr: says,
		ExtraFiles:  []*os.File{child, arena},
		SysProcAttr: level.attributes(),
		// Grandchildren cannot exist; this bounds the wait for the pipe all the same.
		WaitDelay: time.Second,
	}
	return cmd, ours, child, nil
}

// confine does what has to be done from outside; the rest of what holds the child was there
// from its start.
func confine(cmd *exec.Cmd, _ Options) error {
	sandbox.KeepScore(cmd.Process.Pid)
	return nil
}

// notPermitted recognizes a start that failed for the namespaces' sake.
func notPermitted(err error) bool {
	for _, e := range []error{unix.EPERM, unix.EACCES, unix.EINVAL, unix.ENOSPC, unix.EUSERS, unix.ENOSYS} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
