package config_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tuttinode/tutti/config"
)

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDocumentIsCurrent(t *testing.T) {
	t.Parallel()
	onDisk, err := os.ReadFile("../docs/configuration.md")
	if err != nil {
		t.Fatalf("%v; run make docs", err)
	}
	if string(onDisk) != written(t, config.WriteDoc) {
		t.Error("docs/configuration.md is not what the option table says; run make docs")
	}
}

// Every option of the existing node is in the document and, unless it is
// obsolete or an old name, in the help.
func TestEveryOptionIsExplained(t *testing.T) {
	t.Parallel()
	doc, help := written(t, config.WriteDoc), written(t, config.WriteHelp)
	for _, f := range existingFlags(t) {
		if !strings.Contains(doc, "`-"+f.name+"`") {
			t.Errorf("-%s is not in the document", f.name)
		}
		if f.mark != "O" && !regexp.MustCompile(`(?m)^  .*-`+f.name+`( |,|$)`).MatchString(help) {
			t.Errorf("-%s is not in the help", f.name)
		}
	}
	for line := range strings.Lines(help) {
		if utf8.RuneCountInString(line) > 101 {
			t.Errorf("the help has a long line: %s", line)
		}
	}
}

// The document's tables have the same number of cells in every row.
func TestDocumentTables(t *testing.T) {
	t.Parallel()
	cells := 0
	for line := range strings.Lines(written(t, config.WriteDoc)) {
		line = strings.ReplaceAll(line, `\|`, "")
		switch n := strings.Count(line, "|"); {
		case !strings.HasPrefix(line, "|"):
			cells = 0
		case cells == 0:
			cells = n
		case n != cells:
			t.Errorf("%d cells instead of %d: %s", n, cells, line)
		}
	}
}

// Every line of the sample file, with its sign taken off, is a setting that is
// understood.
func TestSampleFileIsUnderstood(t *testing.T) {
	t.Parallel()
	sample := written(t, config.WriteSample)
	in := input("-config", "node.conf")
	in.ReadFile = files(map[string]string{"node.conf": sample})
	if _, _, err := config.Load(in); err == nil || !strings.HasPrefix(err.Error(), "NoRole: ") {
		t.Errorf("the sample as it is sets something: %v", err)
	}
	settings := 0
	for line := range strings.Lines(sample) {
		setting, ok := strings.CutPrefix(line, "#")
		if !ok || strings.HasPrefix(setting, "#") {
			continue
		}
		settings++
		in := input(append(combined[:len(combined):len(combined)], "-config", "node.conf")...)
		in.ReadFile = files(map[string]string{"node.conf": setting, "/path/to/file.json": "{}", "/path/to/secret": "s",
			"/path/to/token": strings.Repeat("0f", 32), "/path/to/store": "postgres://h/n"})
		_, _, err := config.Load(in)
		for reason := range strings.Lines(errorText(err)) {
			if strings.HasPrefix(reason, "BadOption") || strings.HasPrefix(reason, "Unknown") ||
				strings.HasPrefix(reason, "ConfigUnreadable") {
				t.Errorf("%s%s", setting, reason)
			}
		}
	}
	// version, help, j and config are for the command line, netint for nothing.
	if want := strings.Count(written(t, config.WriteJSON), `"help": `) - 5; settings != want {
		t.Errorf("the sample has %d settings, want %d", settings, want)
	}
}

func TestWriteJSON(t *testing.T) {
	t.Parallel()
	var all []struct{ Name, Type, Help string }
	if err := json.Unmarshal([]byte(written(t, config.WriteJSON)), &all); err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o.Name == "" || o.Type == "" || o.Help == "" {
			t.Errorf("incomplete: %+v", o)
		}
	}
}

func TestStartTable(t *testing.T) {
	t.Parallel()
	c, _, err := config.Load(input("-orchestrator", "-transcoder", "-serviceAddr", "h.example.org:8935",
		"-maxSessions", "10",
		"-nvidia", "0,1", "-ethUrl", "https://arb.example.org/v2/key", "-ethPassword", "hunter2", "-monitor",
		"-reward=false", "-v", "3"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `*--------------*-----------------------------*
| Orchestrator | true                        |
| Transcoder   | true                        |
| Reward       | false                       |
| ServiceAddr  | https://h.example.org:8935  |
| Nvidia       | 0,1                         |
| EthUrl       | https://arb.example.org/*** |
| EthPassword  | ***                         |
| Monitor      | true                        |
*--------------*-----------------------------*
`
	got := written(t, func(w io.Writer) error { return config.WriteTable(w, c) })
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c, _, err = config.Load(input())
	if got := written(t, func(w io.Writer) error { return config.WriteTable(w, c) }); got != "" {
		t.Errorf("nothing was given, %v, and the table is\n%s", err, got)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	check := func(all bool, args ...string) string {
		c, notices, err := config.Load(input(args...))
		return written(t, (&config.Check{Config: c, Notices: notices, Problems: err, All: all}).WriteText)
	}
	flags := []string{"-gateway", "-orchAddr", "h.example.org", "-gpu", "all", "-v", "5"}
	good := check(true, flags...)
	for _, line := range []string{
		"  v                5      flag -v\n",
		"  gateway       true   flag -gateway\n",
		"  orchAddr                https://h.example.org:8935  flag -orchAddr\n",
		"  httpAddr                127.0.0.1:9935              default\n",
		"  dataDir                /home/op/.tutti/offchain  default\n",
		"\nNotices\n  -gpu (command line): has no effect without -transcoder or -aiWorker\n",
	} {
		if !strings.Contains(good, line) {
			t.Errorf("%q is not in\n%s", line, good)
		}
	}
	if !strings.HasPrefix(good, "The configuration is valid.\n\n") {
		t.Errorf("no verdict in\n%s", good)
	}
	if strings.Contains(good, "encoderPreset") || strings.Contains(good, "ethUrl") {
		t.Errorf("options without effect are shown in\n%s", good)
	}
	brief := check(false, flags...)
	if lines := strings.Count(brief, "\n"); lines > 20 ||
		!strings.Contains(brief, "  orchAddr  https://h.example.org:8935  flag -orchAddr\n") ||
		strings.Contains(brief, " default\n") || !strings.HasSuffix(brief,
		" options have their defaults; --all shows them too.\n") {
		t.Errorf("%d lines of what was set:\n%s", lines, brief)
	}
	bad := check(false, "-gateway", "-orchAddr", "h.example.org", "-maxSessions", "x", "-bogus")
	const want = `2 problems: the node would not start.
  UnknownOption: -bogus (command line): there is no such option; tutti -help lists all options
  BadOption: -maxSessions x (command line): not a positive number or the word auto; write -maxSessions 10

`
	if !strings.HasPrefix(bad, want) {
		t.Errorf("got\n%s\nwant at its beginning\n%s", bad, want)
	}
	if !strings.Contains(bad, "  maxSessions  (see the problems above)  flag -maxSessions\n") {
		t.Errorf("the bad value is not marked in\n%s", bad)
	}
}

// A node that would start and not serve its models is neither valid nor invalid.
func TestCheckOfModels(t *testing.T) {
	t.Parallel()
	c, notices, err := config.Load(input("-orchestrator", "-aiWorker", "-aiModels", "m.json", "-serviceAddr",
		"h.example.org", "-orchSecret", "hunter2"))
	check := config.Check{Config: c, Notices: notices, Problems: err, Models: "AI models\n",
		Unserved: []string{"m.json:4: warm: not a switch"}}
	text := written(t, check.WriteText)
	if !strings.HasPrefix(text, "The configuration is valid, but not every AI model would be served: 1 problem.\n") ||
		!strings.Contains(text,
			"\nProblems with AI models; the node starts and serves the others\n  m.json:4: warm: not a switch\n") {
		t.Error(text)
	}
	var out struct {
		Valid, Starts bool
		ModelProblems []string
		Problems      []any
		Settings      []struct{ Option, Value, Origin string }
	}
	text = written(t, check.WriteJSON)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	if out.Valid || !out.Starts || len(out.ModelProblems) != 1 || out.Problems == nil ||
		strings.Contains(text, "hunter2") || len(out.Settings) != 5 {
		t.Error(text)
	}
}

func TestVersionText(t *testing.T) {
	t.Parallel()
	want := "Livepeer Node Version: 0.1.0-abc\nGolang runtime version: gc " + runtime.Version() +
		"\nArchitecture: " + runtime.GOARCH + "\nOperating system: " + runtime.GOOS + "\n"
	if got := config.VersionText("0.1.0-abc"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
