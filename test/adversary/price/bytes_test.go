package price

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// processorTime is what a process has used of the CPU cores so far.
func processorTime(t *testing.T, pid int) time.Duration {
	t.Helper()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip(err)
	}
	const user, system, ticks = 11, 12, 100 // after the name, in hundredths of a second
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+2:]))
	sum := 0
	for _, field := range []int{user, system} {
		n, err := strconv.Atoi(fields[field])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return time.Duration(sum) * time.Second / ticks
}

// TestAnswersInSingleBytes has an orchestrator send an answer byte by byte, of which each is a
// TLS record: few bytes a second must not take a gateway's CPU cores.
func TestAnswersInSingleBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.ready()
	const bytes, most = 64 << 10, 3 * time.Second
	ended := make(chan struct{})
	w.cheat.with(func() {
		w.cheat.cheat = func(_ int, rw http.ResponseWriter) bool {
			defer close(ended)
			says(events, firstWord)(rw)
			for i := range bytes {
				if _, err := rw.Write([]byte(":\n"[i%2 : i%2+1])); err != nil {
					t.Errorf("cut after %d bytes: %v", i, err)
					return true
				}
				_ = http.NewResponseController(rw).Flush()
			}
			return true
		}
	})
	before := processorTime(t, w.gateway.PID())
	w.drain(true)
	<-ended
	if took := processorTime(t, w.gateway.PID()) - before; took > most {
		t.Errorf("%d bytes took %s of the gateway's CPU cores, want %s at most", bytes, took, most)
	} else {
		t.Logf("%d bytes took %s", bytes, took)
	}
}
