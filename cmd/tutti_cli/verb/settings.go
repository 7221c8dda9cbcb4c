package verb

import (
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// How far a transaction is followed.
const (
	WaitSubmitted = "submitted"
	WaitMined     = "mined"
	WaitFinal     = "final"
)

// Settings are the options that every verb takes.
type Settings struct {
	Host, URL, TokenFile, DataDir, Network  string
	Port                                    int
	Yes, JSON, DryRun, Unusual              bool
	Wait                                    string
	Timeout                                 time.Duration
	NoColor, Accessible, Help, VersionAsked bool
}

// Defaults returns the settings where nothing was said.
func Defaults() Settings {
	return Settings{Host: "127.0.0.1", Port: 7935, Wait: WaitMined, Timeout: 5 * time.Minute}
}

// A Global is one option that every verb takes, for the documents.
type Global struct {
	Name, Meta, Help string
	Choices          []string
	bind             func(f *pflag.FlagSet, s *Settings, help string)
}

// Globals are these options.
func Globals() []Global {
	text := func(name string, at func(*Settings) *string) func(*pflag.FlagSet, *Settings, string) {
		return func(f *pflag.FlagSet, s *Settings, help string) { f.StringVar(at(s), name, *at(s), help) }
	}
	yes := func(name string, at func(*Settings) *bool) func(*pflag.FlagSet, *Settings, string) {
		return func(f *pflag.FlagSet, s *Settings, help string) { f.BoolVar(at(s), name, *at(s), help) }
	}
	return []Global{
		{"host", "HOST", "host of the node's admin API; default 127.0.0.1", nil,
			text("host", func(s *Settings) *string { return &s.Host })},
		{"http", "PORT", "port of the node's admin API; default 7935, a gateway alone has 5935", nil,
			func(f *pflag.FlagSet, s *Settings, help string) { f.IntVar(&s.Port, "http", s.Port, help) }},
		{"url", "URL", "address of the admin API instead: http://host:port, https://host:port or unix:/path", nil,
			text("url", func(s *Settings) *string { return &s.URL })},
		{"token-file", "FILE", "file with the admin token; else TUTTI_ADMIN_TOKEN, else admin.token in the data directory",
			nil, text("token-file", func(s *Settings) *string { return &s.TokenFile })},
		{"dataDir", "DIR", "the node's data directory; default TUTTI_DATA_DIR, else that of /etc/tutti/tutti.conf, else " +
			"~/.tutti/NETWORK", nil, text("dataDir", func(s *Settings) *string { return &s.DataDir })},
		{"network", "NETWORK", "the node's network, to find its data directory; default TUTTI_NETWORK, else the node is " +
			"asked", nil, text("network", func(s *Settings) *string { return &s.Network })},
		{"yes", "", "make the change without asking", nil, yes("yes", func(s *Settings) *bool { return &s.Yes })},
		{"allow-unusual", "", "take values that are most likely not meant, such as a price of 0", nil,
			yes("allow-unusual", func(s *Settings) *bool { return &s.Unusual })},
		{"dry-run", "", "show what would be done and what it costs; change nothing", nil,
			yes("dry-run", func(s *Settings) *bool { return &s.DryRun })},
		{"json", "", "write one JSON object; tutti_cli schema VERB describes it", nil,
			yes("json", func(s *Settings) *bool { return &s.JSON })},
		{"wait", "STATE", "follow transactions until submitted, mined or final; default mined",
			[]string{WaitSubmitted, WaitMined, WaitFinal}, text("wait", func(s *Settings) *string { return &s.Wait })},
		{"timeout", "TIME", "how long to follow them; default 5m", nil,
			func(f *pflag.FlagSet, s *Settings, help string) {
				f.DurationVar(&s.Timeout, "timeout", s.Timeout, help)
			}},
		{"no-color", "", "no colors; so does the environment variable NO_COLOR", nil,
			yes("no-color", func(s *Settings) *bool { return &s.NoColor })},
		{"accessible", "", "no colors and no tables: every value on a line of its own, for screen readers", nil,
			yes("accessible", func(s *Settings) *bool { return &s.Accessible })},
		{"help", "", "what the verb does and takes", nil, yes("help", func(s *Settings) *bool { return &s.Help })},
		{"version", "", "the version of this program", nil,
			yes("version", func(s *Settings) *bool { return &s.VersionAsked })},
	}
}

// bind gives the tool's command these options.
func (s *Settings) bind(root *cobra.Command) {
	for _, g := range Globals() {
		g.bind(root.PersistentFlags(), s, g.Help)
		completeValue(root, g.Name, g.Meta, g.Choices)
	}
}

// check validates the options that every verb takes.
func (s *Settings) check() error {
	switch {
	case !slices.Contains([]string{WaitSubmitted, WaitMined, WaitFinal}, s.Wait):
		return Mistake("--wait is submitted, mined or final")
	case s.Timeout <= 0:
		return Mistake("--timeout is a time above 0, such as 90s or 10m")
	case s.Port < 1 || s.Port > 65535:
		return Mistake("--http is a port from 1 to 65535")
	}
	return nil
}
