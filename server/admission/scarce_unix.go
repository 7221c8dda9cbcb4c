//go:build unix

package admission

import "syscall"

func scarceErrors() []error {
	return []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL}
}
