package aiapi

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/modelroutes"
	"github.com/tuttinode/tutti/core/pipeline"
)

// A list of very many names takes no memory beside the body that it is in.
func TestManyModelNames(t *testing.T) {
	req := &pipeline.Request{ForGateways: pipeline.ForGateways{Models: []byte(`[` + strings.Repeat(`"",`, 1<<20) + `""]`)}}
	s := &Server{opt: Options{Routes: func() *modelroutes.Table { return nil }}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.targets(req)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 1<<20 {
		t.Errorf("%v, %d MiB", err, took>>20)
	}
}
