//go:build unix

package fault_test

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// What could not be written for want of space is named so, however deep the reason is.
func TestWrapWrite(t *testing.T) {
	t.Parallel()
	failed := func(number syscall.Errno) error {
		return fmt.Errorf("keep it: %w", &fs.PathError{Op: "write", Path: "/x", Err: number})
	}
	for _, tt := range []struct {
		err  error
		want fault.Code
	}{
		{failed(syscall.ENOSPC), fault.DataDiskFull},
		{failed(syscall.EDQUOT), fault.DataDiskFull},
		{errors.Join(errors.New("close"), failed(syscall.ENOSPC)), fault.DataDiskFull},
		{failed(syscall.EACCES), fault.CertificateUnusable},
		{errors.New("no space left on device"), fault.CertificateUnusable}, // a text says nothing
	} {
		if f := fault.WrapWrite(fault.CertificateUnusable, "write", tt.err); f.Code != tt.want ||
			!errors.Is(f, tt.err) {
			t.Errorf("%v is %s, want %s", tt.err, f.Code, tt.want)
		}
	}
}
