package config

import (
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
)

// Names, variables and fields are each used once; every row is complete; every
// default is what its option reads.
func TestTable(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	once := func(kind, name, option string) {
		key := kind + " " + name
		if other, ok := seen[key]; ok && other != option {
			t.Errorf("%s is used by -%s and -%s", key, other, option)
		}
		seen[key] = option
	}
	gone := retired()
	for _, o := range table() {
		for _, s := range o.spellings() {
			once("option", s, o.name)
			for _, e := range o.env(s) {
				once("variable", e, o.name)
			}
			if _, ok := gone[s]; ok {
				t.Errorf("-%s is retired and in the table", s)
			}
		}
		once("field", o.fieldName(), o.name)
		if len(o.env(o.name)) == 0 && !o.flagOnly {
			t.Errorf("-%s has no variable", o.name)
		}
		if o.help == "" && o.obsolete == "" || o.mark == "" || o.group == "" || o.to == nil {
			t.Errorf("-%s is incomplete", o.name)
		}
		if strings.Contains(o.mark, "G") && o.roles&(gateway|remoteSigner) == 0 && o.name != "gateway" &&
			o.name != "remoteSigner" {
			t.Errorf("-%s is marked as a gateway's and is not bound to that role", o.name)
		}
		if strings.Contains(o.mark, "O") && o.obsolete == "" && o.name != "aiRunnerImage" {
			t.Errorf("-%s is marked obsolete and does not say what to use", o.name)
		}
		v := o.to(new(Config))
		if o.preset != "" {
			if err := v.set(o.preset, &Input{}); err != nil {
				t.Errorf("-%s: default %q: %v", o.name, o.preset, err)
			}
		}
		about := v.about()
		if about.name == "" || about.example == "" {
			t.Errorf("-%s: its type has no name or example", o.name)
		}
		if about.isSwitch && about.hidden {
			t.Errorf("-%s is a secret switch", o.name)
		}
	}
}

func TestVariableNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"maxSessions": "MAX_SESSIONS", "v": "V", "ethUrl": "ETH_URL", "log_dir": "LOG_DIR", "dataDir": "DATA_DIR",
		"datadir":                  "DATADIR",
		"aiRunnerContainersPerGPU": "AI_RUNNER_CONTAINERS_PER_GPU",
		"liveAICapReportInterval":  "LIVE_AI_CAP_REPORT_INTERVAL",
		"metricsClientIP":          "METRICS_CLIENT_IP", "mediaMTXApiPassword": "MEDIA_MTX_API_PASSWORD",
		"ticketEV": "TICKET_EV",
	} {
		if got := words(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestClosest(t *testing.T) {
	t.Parallel()
	names := index(table()).spellings()
	for typed, want := range map[string]string{
		"maxsessions": "maxSessions", "max_sessions": "maxSessions", "servceAddr": "serviceAddr", "gateWay": "gateway",
		"orhcestrator": "orchestrator", "ethURL": "ethUrl", "nvida": "nvidia", "x": "", "zzzzzzzz": "", "V": "v",
		"": "",
	} {
		if got, _ := fault.SuggestName(typed, names); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
