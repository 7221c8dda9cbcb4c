package aiapi

import (
	"runtime"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/airouting"
	"github.com/tuttinode/tutti/core/pipeline"
)

// A list of very many names takes no memory besides the body that it is in.
func TestManyModelNames(t *testing.T) {
	req := &pipeline.Request{ForGateways: pipeline.ForGateways{Models: []byte(`[` + strings.Repeat(`"",`, 1<<20) + `""]`)}}
	s := &Server{opt: Options{Routes: func() *airouting.ModelRoutes { return nil }}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.targets(req)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || took > 1<<20 {
		t.Errorf("%v, %d MiB", err, took>>20)
	}
}

// TestManyPreferences: what a request wants of orchestrators, however long, takes no memory besides the body that it is
// in: it is read before its key is checked.
func TestManyPreferences(t *testing.T) {
	s := &Server{}
	for name, one := range map[string]string{
		"orchestrators": `{"order":[` + strings.Repeat(`"",`, 1<<20) + `""]}`,
		"fields":        `{` + strings.Repeat(`"sort":"",`, 1<<18) + `"zdr":false}`,
		"spaces":        `{"quantizations":[` + strings.Repeat(" ", 1<<22) + `]}`,
	} {
		req := &pipeline.Request{ForGateways: pipeline.ForGateways{Provider: []byte(one)}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := s.preferences(req)
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; pipeline.FieldOf(err) != "provider" || took > 1<<20 {
			t.Errorf("%s: %v, %d MiB", name, err, took>>20)
		}
	}
}
