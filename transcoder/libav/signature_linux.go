package libav

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// signatureFile returns a file in memory.
func signatureFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("signature", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "signature"), nil
}

// signaturePath returns the file name for a filter's argument.
func signaturePath(f *os.File) string { return fmt.Sprintf("/proc/self/fd/%d", f.Fd()) }

// dropSignature loses nothing: what was in memory has been read.
func dropSignature(f *os.File) { _ = f.Close() }
