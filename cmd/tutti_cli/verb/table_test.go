package verb_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/cmd/tutti_cli/action"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
	"github.com/tuttinode/tutti/core/adminapi"
)

func TestFind(t *testing.T) {
	t.Parallel()
	table := action.Table()
	tests := []struct {
		words, want string
		n           int
	}{
		{"round", "round", 1}, {"round initialize --yes", "round initialize", 2}, {"round more", "round", 1},
		{"stake", "", 0}, {"", "", 0},
	}
	for _, tt := range tests {
		v, n := table.Find(strings.Fields(tt.words))
		name := ""
		if v != nil {
			name = v.Name
		}
		if name != tt.want || n != tt.n {
			t.Errorf("%q: %q, %d", tt.words, name, n)
		}
	}
}

// The table is sound: names, entries and fields are there once, and what may be
// asked for can be.
func TestTableIsSound(t *testing.T) {
	t.Parallel()
	names, entries, globals := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, g := range verb.Globals() {
		globals[g.Name] = true
	}
	for _, v := range action.Table() {
		if names[v.Name] || v.Menu != "" && entries[v.Menu] {
			t.Errorf("%s is there twice", v.Name)
		}
		names[v.Name], entries[v.Menu] = true, true
		if v.Short == "" || !strings.HasSuffix(v.Short, ".") || v.Run == nil || len(v.Words()) > 2 {
			t.Errorf("%s is not whole", v.Name)
		}
		fields := map[string]bool{}
		for _, f := range v.Fields {
			if fields[f.Name] || globals[f.Name] || f.Help == "" || f.Meta == "" && !f.Switch {
				t.Errorf("%s: field %s", v.Name, f.Name)
			}
			fields[f.Name] = true
			if v.Menu != "" && v.Ask == nil && f.Required && f.Question == "" {
				t.Errorf("%s: the menu cannot ask for %s", v.Name, f.Name)
			}
		}
	}
}

// parse reads a command line as the tool does.
func parse(line string, more []string) (set verb.Settings, texts map[string]string, err error) {
	set = verb.Defaults()
	table := action.Table()
	root := table.Tree(&set, verb.Runner{
		Verb:  func(_ context.Context, _ *verb.Verb, given map[string]string) error { texts = given; return nil },
		Other: func(context.Context, []string) error { return errors.New("no verb") },
		Help:  func(context.Context, []string) {},
	})
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	root.SetArgs(table.TwoDashes(append(strings.Fields(line), more...)))
	err = root.Execute()
	return set, texts, err
}

// Options are read before their verb is known, so one name has a value in all verbs or in none.
func TestOptionsMeanTheSameInEveryVerb(t *testing.T) {
	t.Parallel()
	switches := map[string]bool{}
	for _, v := range action.Table() {
		for _, f := range v.Fields {
			if was, known := switches[f.Name]; known && was != f.Switch {
				t.Errorf("--%s of %s has a value in one verb and none in another", f.Name, v.Name)
			}
			switches[f.Name] = f.Switch
		}
	}
}

// However options and words are mixed, the same is read.
func TestOptionsAndWordsMix(t *testing.T) {
	t.Parallel()
	groups := [][]string{{"12"}, {"--support", "for"}, {"-reason=a b"}, {"--yes"}, {"--wait", "final"}}
	rapid.Check(t, func(t *rapid.T) {
		var args []string
		for _, g := range rapid.Permutation(groups).Draw(t, "order") {
			args = append(args, g...)
		}
		set, texts, err := parse("vote proposal", args)
		if err != nil || texts["proposal"] != "12" || texts["support"] != "for" || texts["reason"] != "a b" || !set.Yes ||
			set.Wait != "final" {
			t.Errorf("%q: %v, %v", args, texts, err)
		}
	})
}

func TestWordsBehindTwoDashes(t *testing.T) {
	t.Parallel()
	set, texts, err := parse("sign message", []string{"--json", "--", "--not-an-option"})
	if err != nil || texts["message"] != "--not-an-option" || !set.JSON {
		t.Error(texts, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("stake bond --amount 1")
	f.Add("vote proposal -- --x")
	f.Fuzz(func(t *testing.T, line string) {
		if set, _, err := parse(line, nil); err == nil && set.Timeout <= 0 {
			t.Error("a timeout of nothing was taken")
		}
	})
}

func TestAudiences(t *testing.T) {
	t.Parallel()
	orchestrator := adminapi.Node{Roles: []string{"orchestrator"}, ChainID: 42161, Network: "arbitrum-one-mainnet"}
	redeemer := adminapi.Node{Roles: []string{"redeemer"}, ChainID: 42161}
	gateway := adminapi.Node{Roles: []string{"gateway"}, ChainID: 421614}
	for _, tt := range []struct {
		name string
		node adminapi.Node
		want bool
	}{
		{"reward call", orchestrator, true}, {"reward call", redeemer, true}, {"reward call", gateway, false},
		{"deposit fund", orchestrator, false}, {"deposit fund", gateway, true},
		{"token request", orchestrator, false}, {"token request", gateway, true},
		{"node", orchestrator, false}, {"stake bond", adminapi.Node{Offchain: true}, false},
		{"status", adminapi.Node{Offchain: true}, true},
	} {
		v, _ := action.Table().Find(strings.Fields(tt.name))
		if got := verb.Shows(v, tt.node); got != tt.want {
			t.Errorf("%s for %v: %v", tt.name, tt.node.Roles, got)
		}
	}
}
