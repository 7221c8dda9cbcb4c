package procfs_test

import (
	"math"
	"os"
	"regexp"
	"testing"
	"time"

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

func TestCPU(t *testing.T) {
	t.Parallel()
	before := procfs.CPU(os.Getpid())
	for x := 1; procfs.CPU(os.Getpid()) < before+20*time.Millisecond; x++ {
		if time.Duration(x) > time.Hour {
			t.Fatal("this process works and its CPU time stands still")
		}
	}
	if d := procfs.CPU(math.MaxInt32); d != 0 {
		t.Errorf("a process that is not there has used %s", d)
	}
	if one, two := procfs.CPU(os.Getpid()), procfs.CPU(os.Getpid(), os.Getpid()); two < 2*one {
		t.Errorf("twice this process is %s, once %s", two, one)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	if l := procfs.Load(); !regexp.MustCompile(`^\d+\.\d+ \d+\.\d+ \d+\.\d+$`).MatchString(l) {
		t.Errorf("load %q", l)
	}
}
