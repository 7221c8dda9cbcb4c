package guides

import (
	"slices"
	"testing"
)

func TestBlocksAndCommands(t *testing.T) {
	t.Parallel()
	found := blocks("text\n```sh\na -x \\\n  -y   # why\n# a comment\nb '{\"a\":1,\n \"b\":2}'\n```\n   ```\n   tutti " +
		"config check\n   ```\n" +
		"```\nonly text\n```\n```console\n$ c | d && e\noutput\n$ f\n```\n")
	var all []string
	for _, b := range found {
		all = append(all, b.commands()...)
	}
	want := []string{"a -x \\\n  -y   # why", "b '{\"a\":1,\n \"b\":2}'", "tutti config check", "c | d && e", "f"}
	if !slices.Equal(all, want) {
		t.Errorf("%q\nwant\n%q", all, want)
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	for command, want := range map[string][]string{
		"a | b 'c | d' && e; f":             {"a", "b", "e", "f"},
		"sudo -u tutti tutti_cli status":    {"tutti_cli"},
		"sudo bin/tutti init":               {"tutti"},
		"X=1 make run # make nothing | wc":  {"make"},
		"TOKEN=$(cat ~/x)":                  {"="},
		"journalctl -u tutti | grep 'a=b'":  {"journalctl", "grep"},
		"curl -d '{\"a\":1}' http://h/?a=b": {"curl"},
		"echo 'it''s' >f":                   {"echo"},
	} {
		if got := programs(command); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}

// An unknown command is refused, and so is a verb or a flag that the programs
// do not have.
func TestUnknownIsRefused(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"rm -rf /", "echo x | tee /etc/passwd | frobnicate", "tuti -orchestrator"} {
		if why := unknown(command); why == "" {
			t.Errorf("%s is taken for known", command)
		}
	}
}
