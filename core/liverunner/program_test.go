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
	if p := s.Program; p == nil || fmt.Sprint(*p) != "{[run -x] [A=1 B=2] 2 [0 1] 536870912 <nil>}" {
		t.Errorf("%+v", p)
	}
	for more, want := range map[string]string{
		`"image":""`:                                          "image must be",
		`"image":"-v"`:                                        "image must be",
		`"image":["x"]`:                                       "image must be",
		`"network":true`:                                      "go with an image",
		`"image":"x","network":1`:                             "network and read_only",
		`"image":"x","processes":1`:                           "network and read_only",
		`"image":"x","memory_gb":0`:                           "network and read_only",
		`"image":"x","capabilities":["sys_admin"]`:            "network and read_only",
		`"image":"x","health_url":"http://r/h"`:               "with an image",
		`"image":"x","runner_url":"https://r"`:                "with an image",
		`"runner_url":"http://y.container.invalid"`:           "invalid runner_url",
		`"command":"x"`:                                       "command must be a list",
		`"command":[]`:                                        "command must be a list",
		`"gpus":1`:                                            "go with a command",
		`"command":["x"],"gpus":-1`:                           "gpus must be",
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

// A runner with an image is reached by a name of its own, whatever host its entry names.
func TestContainerEntries(t *testing.T) {
	t.Parallel()
	s := static(t, `,"image":"r/x:1","runner_url":"http://127.0.0.1:9001/base","read_only":false,"memory_gb":0.5,
		"capabilities":["SETUID"],"network":true,"processes":20`)[0]
	c := s.Program.Container
	if c == nil || c.Image != "r/x:1" || !c.Network || *c.ReadOnly || c.MemoryBytes != 5e8 || c.Processes != 20 ||
		len(c.Capabilities) != 1 {
		t.Errorf("%+v", c)
	}
	host := s.Label + ".container.invalid:9001"
	if s.URL.String() != "http://"+host+"/base" || s.Health.Host != host {
		t.Error(s.URL, s.Health)
	}
	if !liverunner.IsContainer(s.URL.Hostname()) || liverunner.IsContainer("container.example") {
		t.Error("containers are not told from hosts")
	}
	odd, err := liverunner.ParseStatic([]byte(
		`{"runners":[{"label":"A b","runner_url":"http://r","health_url":"/h","app":"a","image":"x"}]}`), liverunner.Free)
	if err != nil || !strings.HasPrefix(odd[0].URL.Host, "x") || !strings.HasSuffix(odd[0].URL.Host, ".invalid:80") {
		t.Error(odd, err)
	}
}
