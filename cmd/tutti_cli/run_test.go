package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/cmd/tutti_cli/action"
	"github.com/tuttinode/tutti/cmd/tutti_cli/verb"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// asTool makes the test binary run as the tool, on a terminal of a test.
const asTool = "TUTTI_CLI_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		os.Exit(run())
	}
	flag.Parse()
	goleak.VerifyTestMain(m)
}

// tool runs the program in this process, without a terminal.
type tool struct {
	t    *testing.T
	node *fakeNode
	home string
	// service is the packages' service's data directory.
	service string
	env     map[string]string
	// extra are options of every call.
	extra []string
}

func newTool(t *testing.T) *tool {
	t.Helper()
	f := newFake(t)
	return &tool{t: t, node: f, home: t.TempDir(), env: map[string]string{"TUTTI_ADMIN_TOKEN": fakeToken}}
}

// run is one call: its status, standard output and standard error.
func (o *tool) run(args ...string) (int, string, string) {
	o.t.Helper()
	return o.runContext(o.t.Context(), args...)
}

func (o *tool) runContext(ctx context.Context, args ...string) (int, string, string) {
	o.t.Helper()
	var out, errs bytes.Buffer
	null, err := os.Open(os.DevNull)
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	p := program{in: null, out: &out, errs: &errs, getenv: func(name string) string { return o.env[name] },
		world: verb.World{Now: time.Now, Poll: time.Millisecond, Random: &counter{}, Home: o.home, Service: o.service,
			ReadFile: os.ReadFile, Mode: mode, Version: "1.2.3"}}
	if o.node != nil {
		args = append(append([]string{"--url", o.node.url}, o.extra...), args...)
	}
	status := p.run(ctx, args)
	return status, out.String(), errs.String()
}

// ok is a call that succeeds.
func (o *tool) ok(args ...string) string {
	o.t.Helper()
	status, out, errs := o.run(args...)
	if status != exitOK {
		o.t.Fatalf("%q: status %d\n%s%s", args, status, out, errs)
	}
	return out
}

// refused is a call that ends with a status and a text.
func (o *tool) refused(want int, text string, args ...string) {
	o.t.Helper()
	status, out, errs := o.run(args...)
	if status != want || !strings.Contains(errs, text) || out != "" {
		o.t.Errorf("%q: status %d, want %d with %q\n%s%s", args, status, want, text, out, errs)
	}
}

func schemaOf(name string) ([]byte, bool) { return action.ReadSchema(name) }

// counter is randomness that is no surprise.
type counter struct{ n byte }

func (c *counter) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = c.n
		c.n++
	}
	return len(p), nil
}

// golden compares a text with the file of its name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", strings.ReplaceAll(name, " ", "-")+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

// valid holds an answer against a schema; it must be one JSON object.
func valid(t *testing.T, name, answer string) {
	t.Helper()
	content, ok := action.ReadSchema(name)
	if !ok {
		t.Fatalf("%s has no schema", name)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("verb.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("verb.json")
	if err != nil {
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(answer))
	var first map[string]any
	if err := decoder.Decode(&first); err != nil || decoder.More() {
		t.Errorf("%s: not one JSON object (%v):\n%s", name, err, answer)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(answer))
	if err == nil {
		err = compiled.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v\n%s", name, err, answer)
	}
}
