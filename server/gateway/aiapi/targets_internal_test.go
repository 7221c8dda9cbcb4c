package aiapi

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/pipeline"
)

// A list of very many names takes no memory beside the body that it is in.
func TestManyModelNames(t *testing.T) {
	req := &pipeline.Request{Models: []byte(`[` + strings.Repeat(`"",`, 1<<20) + `""]`)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := targetsOf(nil, req)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 1<<20 {
		t.Errorf("%v, %d MiB", err, took>>20)
	}
}
