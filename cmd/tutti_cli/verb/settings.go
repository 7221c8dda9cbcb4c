package verb

import (
	"flag"
	"io"
	"time"
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

// Defaults are the settings where nothing was said.
func Defaults() Settings {
	return Settings{Host: "127.0.0.1", Port: 7935, Wait: WaitMined, Timeout: 5 * time.Minute}
}

// A Global is one option that every verb takes, for the documents.
type Global struct {
	Name, Meta, Help string
	Choices          []string
	bind             func(f *flag.FlagSet, s *Settings)
}

// Globals are these options.
func Globals() []Global {
	text := func(name string, at func(*Settings) *string) func(*flag.FlagSet, *Settings) {
		return func(f *flag.FlagSet, s *Settings) { f.StringVar(at(s), name, *at(s), "") }
	}
	yes := func(name string, at func(*Settings) *bool) func(*flag.FlagSet, *Settings) {
		return func(f *flag.FlagSet, s *Settings) { f.BoolVar(at(s), name, *at(s), "") }
	}
	return []Global{
		{"host", "HOST", "host of the node's admin API; default 127.0.0.1", nil,
			text("host", func(s *Settings) *string { return &s.Host })},
		{"http", "PORT", "port of the node's admin API; default 7935, a gateway alone has 5935", nil,
			func(f *flag.FlagSet, s *Settings) { f.IntVar(&s.Port, "http", s.Port, "") }},
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
			func(f *flag.FlagSet, s *Settings) { f.DurationVar(&s.Timeout, "timeout", s.Timeout, "") }},
		{"no-color", "", "no colours; so does the environment variable NO_COLOR", nil,
			yes("no-color", func(s *Settings) *bool { return &s.NoColor })},
		{"accessible", "", "no colours and no tables: every value on a line of its own, for screen readers", nil,
			yes("accessible", func(s *Settings) *bool { return &s.Accessible })},
		{"help", "", "what the verb does and takes", nil, func(f *flag.FlagSet, s *Settings) {
			f.BoolVar(&s.Help, "help", s.Help, "")
			f.BoolVar(&s.Help, "h", s.Help, "")
		}},
		{"version", "", "the version of this program", nil,
			yes("version", func(s *Settings) *bool { return &s.VersionAsked })},
	}
}

// Bind makes a flag set with these options.
func (s *Settings) Bind(name string) *flag.FlagSet {
	f := flag.NewFlagSet(name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	for _, g := range Globals() {
		g.bind(f, s)
	}
	return f
}
