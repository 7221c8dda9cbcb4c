//go:build linux

package worker

import (
	"os"
	"syscall"
	"testing"
	"time"
)

func TestTimesOfProcesses(t *testing.T) {
	t.Parallel()
	if got := machineTime("cpu  100 20 30 4000 500 6 7 8 900 0\ncpu0 1 2\n"); got != 171*tick {
		t.Errorf("the machine used %v", got)
	}
	stat := "7 (a b) R) S 1 7 7 0 -1 4194560 9 8 7 6 100 20 3 4 20 0 9 0 88 99"
	if got := statTime([]byte(stat)); got != 127*tick {
		t.Errorf("the process used %v", got)
	}
	for _, text := range []string{"", "cpu", "cpu a b c", "7 (x", ")"} {
		if machineTime(text) != 0 || statTime([]byte(text)) != 0 {
			t.Errorf("%q has a time", text)
		}
	}
}

// This process's own time is no load of others.
func TestOwnTimeIsCounted(t *testing.T) {
	t.Parallel()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	own := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	if got := processTime(os.Getpid(), 0); got+2*tick < own {
		t.Errorf("%v of %v", got, own)
	}
	if OtherLoad() <= 0 {
		t.Error("no other process used the CPU")
	}
}
