package command

import (
	"flag"
	"strings"
	"testing"
)

func TestNodeAt(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	for name, tt := range map[string]struct {
		args   string
		asJSON bool
		want   string
		wrong  string
	}{
		"nothing":       {"", false, "http://127.0.0.1:7935", ""},
		"json":          {"-json", true, "http://127.0.0.1:7935", ""},
		"a node":        {"--json -node https://h:1", true, "https://h:1", ""},
		"a node with =": {"-node=http://h:1", false, "http://h:1", ""},
		"the node's flags": {"-json -orchestrator -transcoder -serviceAddr h.example.org -cliAddr 127.0.0.1:9", true,
			"http://127.0.0.1:9", ""},
		"a transcoder's":    {"-transcoder -orchAddr h.example.org -orchSecret S", false, "http://127.0.0.1:6935", ""},
		"both":              {"-node http://h:1 -orchestrator", false, "", "not needed"},
		"unknown":           {"-nonsense", false, "", "nonsense"},
		"a node and no URL": {"-node", false, "", "node"},
	} {
		t.Run(name, func(t *testing.T) {
			flags := flag.NewFlagSet("x", flag.ContinueOnError)
			asJSON := flags.Bool("json", false, "")
			address, _, err := nodeAt(flags, strings.Fields(tt.args), UsualAdmin)
			if tt.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wrong) {
					t.Errorf("%v does not speak of %s", err, tt.wrong)
				}
				return
			}
			if err != nil || *asJSON != tt.asJSON || address != tt.want {
				t.Errorf("%v %q %v", *asJSON, address, err)
			}
		})
	}
	_, dir, err := nodeAt(flag.NewFlagSet("x", flag.ContinueOnError),
		[]string{"-gateway", "-orchAddr", "h:1", "-dataDir", "/srv/x"}, UsualAdmin)
	if dir != "/srv/x" || err != nil {
		t.Errorf("%s %v", dir, err)
	}
}
