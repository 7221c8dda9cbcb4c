package liverunner_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/liverunner"
)

func TestManagedEntries(t *testing.T) {
	t.Parallel()
	s := static(t, `,"command":["run","-x"],"env":{"B":"2","A":"1"},"gpus":2,"gpu_ids":["0","1"],"memory_mb":512`)[0]
	if p := s.Program; p == nil || fmt.Sprint(*p) != "{[run -x] [A=1 B=2] 2 [0 1] 536870912}" {
		t.Errorf("%+v", p)
	}
	for more, want := range map[string]string{
		`"image":"x"`:               "image is not part of this release",
		`"command":"x"`:             "command must be a list",
		`"command":[]`:              "command must be a list",
		`"gpus":1`:                  "go with a command",
		`"command":["x"],"gpus":-1`: "gpus must be",
		`"command":["x"],"gpus":2,"gpu_ids":["0"]`:            "gpus must be",
		`"command":["x"],"env":{"A=B":""}`:                    "env must map",
		`"command":["x","` + strings.Repeat("y", 5000) + `"]`: "command must be a list",
	} {
		_, err := liverunner.ParseStatic([]byte(
			`{"runners":[{"label":"x","runner_url":"http://r","health_url":"/h","app":"a",`+more+`}]}`), liverunner.Free)
		if err == nil || !strings.Contains(err.Error(), "runners[0]: "+want) && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %q", more, err, want)
		}
	}
	// One that registers itself names no program, whatever it sends.
	if h := heartbeat(t, `,"command":["x"],"image":"y","gpus":"z"`); h.Spec.Program != nil {
		t.Error("a heartbeat names a program")
	}
}
