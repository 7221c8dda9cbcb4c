package node

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/gpu/card"
)

// TestUpgradesWithoutASpareEncoder puts two further processes in the orchestrator's place
// while a stream has all encoders that the driver permits: neither may test the GPU,
// which would find none, and the second takes over what the first found.
func TestUpgradesWithoutASpareEncoder(t *testing.T) {
	t.Parallel()
	c := card.Open(t)
	if c.Real() {
		t.Skip("SKIPPED: the driver is scripted")
	}
	c.Fake.Script("device.codecs=h264,hevc", "encoder.cap=2")
	r := startBy(t, c, formOf(c), beginApart)
	f := r.film("stream0", 0)
	f.answered(2)
	begun := time.Now()
	for range 2 {
		old := r.pid
		pid, err := r.upgrade()
		if err != nil {
			t.Fatal(err)
		}
		r.pid = pid
		if _, gone := r.within(readyIn, func() bool { return parent(old) == 0 }); !gone {
			t.Fatal("the old process does not end")
		}
		f.answered(len(f.so()) + 2)
	}
	done := f.stop()
	if err := done.errs(); err != nil || gap(done, begun) > longestGap {
		t.Errorf("%d segments, %d failed, %v without an answer: %v", len(done), done.failed(), gap(done, begun), err)
	}
	log := r.proc.Log()
	if found := r.tested()["encoders"]; found != 2 || strings.Count(log, "a GPU was tested") != 1 {
		t.Errorf("a GPU of 2 encoders has %d, and was tested %d times", found, strings.Count(log, "a GPU was tested"))
	}
	if n := len(goesOn.FindAllString(log, -1)); n != 2 {
		t.Errorf("what the first process found is taken over %d times, not twice", n)
	}
}

var goesOn = regexp.MustCompile(`a GPU keeps the test results of the previous process .*encoders=2 `)
