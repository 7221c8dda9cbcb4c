package main

import (
	"strings"
	"testing"
)

// A devnet has a pace of its own, so times there are in blocks.
func TestTimesInBlocksOnADevnet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ args, verb, blocks, minutes, text, devnet string }{
		{"round", "round", `"endsInBlocks": 100,`, `"endsInMinutes": 20`, "in about 20 minutes", "in 100 layer-1 blocks"},
		{"status", "status", "", "", "in about 20 minutes", "in 100 layer-1 blocks"},
		{activation, "orchestrator activate", `"activeInBlocks": 100,`, `"activeInMinutes": 20`,
			"from round 8 on, in about 20 minutes", "from round 8 on, in 100 layer-1 blocks"},
	} {
		o := newTool(t)
		args := strings.Fields(tt.args)
		if out := o.ok(append(args, "--json")...); !strings.Contains(out, tt.blocks) || !strings.Contains(out, tt.minutes) {
			t.Error(out)
		}
		if out := o.ok(args...); !strings.Contains(out, tt.text) {
			t.Error(out)
		}
		o.node.node.Network = "devnet"
		out := o.ok(append(args, "--json")...)
		valid(t, tt.verb, out)
		if !strings.Contains(out, tt.blocks) || tt.minutes != "" && !strings.Contains(out, "InMinutes\": null") {
			t.Error(out)
		}
		if out := o.ok(args...); !strings.Contains(out, tt.devnet) || strings.Contains(out, "minute") {
			t.Error(out)
		}
	}
}

// A dry run shows the change next to how things are.
func TestADryRunShowsTheChange(t *testing.T) {
	t.Parallel()
	o := newTool(t)
	for args, want := range map[string]string{
		"sessions set 4 --dry-run":             "Would do  sessions set: max 4\n",
		"gas set --max 5gwei --dry-run":        "Would do  gas set: max 5gwei\n",
		"drain --stop --dry-run":               "Would do  drain: stop\n",
		"worker drain cpu --dry-run":           "Would do  worker drain: name cpu\n",
		"ticket max-face-value 5ETH --dry-run": "Would do  ticket max-face-value: value 5ETH\n",
	} {
		if out := o.ok(strings.Fields(args)...); !strings.Contains(out, want) {
			t.Errorf("%s:\n%s", args, out)
		}
	}
}
