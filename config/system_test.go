package config_test

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/config"
)

func TestModelsNeedLinux(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		system, role string
		refused      bool
	}{
		{"linux", "-aiWorker", false},
		{"windows", "-aiWorker", true},
		{"windows", "-transcoder", false},
	} {
		in := config.Input{Args: []string{"-orchestrator", tt.role, "-aiModels", "[]", "-serviceAddr",
			"h.example.org"}, Home: "/home/op", System: tt.system, ReadFile: files(nil)}
		if tt.role == "-transcoder" {
			in.Args = []string{"-orchestrator", tt.role, "-serviceAddr", "h.example.org"}
		}
		_, _, err := config.Load(in)
		if refused := err != nil && strings.Contains(err.Error(),
			"AI models run on Linux only"); refused != tt.refused {
			t.Errorf("%s %s: %v", tt.system, tt.role, err)
		}
	}
}
