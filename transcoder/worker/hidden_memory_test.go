package worker_test

import (
	"errors"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// Memory that a process keeps without having it mapped, and the tables of what it has
// mapped, are not what the system calls its resident memory. Media that takes over a
// codec fills the machine with neither.
func TestHiddenMemory(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"keep-unmapped", "keep-tables"} {
		c := start(t, func(o *worker.Options) { o.Memory = 192 << 20 })
		_, err := c.Transcode(t.Context(), job("s", "do:"+how))
		f, ok := errors.AsType[*fault.Fault](err)
		stopped := ok && (f.Code == fault.WorkerOutOfMemory || f.Code == fault.InvalidData && refused(f.Detail))
		if !stopped {
			t.Errorf("%s: %v", how, err)
		}
	}
}
