//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package console

import "golang.org/x/sys/unix"

// hide stops a terminal from showing what is typed; restore undoes it. Lines and
// signals stay as they are, so an interruption still interrupts.
func hide(fd int) (restore func(), err error) {
	was, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, err
	}
	quiet := *was
	quiet.Lflag &^= unix.ECHO
	if err := unix.IoctlSetTermios(fd, setTermios, &quiet); err != nil {
		return nil, err
	}
	return func() { _ = unix.IoctlSetTermios(fd, setTermios, was) }, nil
}
