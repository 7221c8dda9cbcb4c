package procfs_test

import (
	"math"
	"os"
	"testing"

	"github.com/tuttinode/tutti/test/procfs"
)

func TestResident(t *testing.T) {
	t.Parallel()
	if n := procfs.Resident(os.Getpid()); n < 1<<20 || n > 1<<33 {
		t.Errorf("this process holds %d bytes", n)
	}
	if n := procfs.Resident(math.MaxInt32); n != 0 {
		t.Errorf("a process that is not there holds %d bytes", n)
	}
}
