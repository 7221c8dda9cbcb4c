package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v2"

	"github.com/tuttinode/tutti/core/fault"
)

func TestMonitoringOfTheTreeIsFresh(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	if status := run([]string{"monitoring", "-check", "-dir", "../../../deploy/monitoring"}, &out, &errs); status != 0 {
		t.Error(errs.String())
	}
}

func TestMonitoringWritesThenFindsFresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	if status := run([]string{"monitoring", "-check", "-dir", dir}, &out, &errs); status != 1 ||
		strings.Count(errs.String(), "is stale; run make docs") != len(monitoringFiles) {
		t.Errorf("missing files: %d %q", status, errs.String())
	}
	if status := run([]string{"monitoring", "-dir", dir}, &out, &errs); status != 0 ||
		strings.Count(out.String(), "written") != len(monitoringFiles) {
		t.Errorf("write: %d %q", status, out.String())
	}
	if err := os.WriteFile(filepath.Join(dir, monitoringFiles[0].Name), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	errs.Reset()
	if status := run([]string{"monitoring", "-check", "-dir", dir}, &out, &errs); status != 1 ||
		strings.Count(errs.String(), "stale") != 1 {
		t.Errorf("one stale file: %d %q", status, errs.String())
	}
}

// shown are the names of all series that server/metrics has in its source.
func shown(t *testing.T) map[string]bool {
	t.Helper()
	list, err := filepath.Glob("../../../server/metrics/*.go")
	if err != nil || len(list) == 0 {
		t.Fatal(err, len(list))
	}
	names := map[string]bool{"up": true}
	for _, path := range list {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil && series.FindString(s) == s {
					names[s] = true
				}
			}
			return true
		})
	}
	return names
}

var series = regexp.MustCompile(`\b(?:livepeer|tutti)_[a-z0-9_]+\b`)

// process are series of every Go program.
var process = regexp.MustCompile(`\bprocess_(start_time_seconds|open_fds|max_fds|resident_memory_bytes|` +
	`cpu_seconds_total)\b`)

func known(t *testing.T, names map[string]bool, where, expr string) {
	t.Helper()
	found := series.FindAllString(expr, -1)
	for _, name := range found {
		base := name
		for _, suffix := range []string{"_bucket", "_count", "_sum"} {
			base = strings.TrimSuffix(base, suffix)
		}
		if !names[name] && !names[base] {
			t.Errorf("%s: no node shows %s", where, name)
		}
	}
	if len(found) == 0 && !process.MatchString(expr) && !strings.HasPrefix(expr, "up{") {
		t.Errorf("%s: %s is of nothing that a node shows", where, expr)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	names := shown(t)
	seen := map[string]bool{}
	n := 0
	for _, g := range groups() {
		for _, r := range g.rules {
			n++
			if seen[r.name] {
				t.Errorf("%s twice", r.name)
			}
			seen[r.name] = true
			known(t, names, r.name, r.expr)
			if r.summary == "" || !strings.HasSuffix(r.cause, ".") || !strings.HasSuffix(r.remedy, ".") ||
				r.severity == fault.Info {
				t.Errorf("%s is not complete: %+v", r.name, r)
			}
			if _, ok := fault.Lookup(r.code); !ok && r.code != "" && !strings.HasPrefix(string(r.code), "{{") {
				t.Errorf("%s: there is no fault %s", r.name, r.code)
			}
		}
	}
	if n < 20 {
		t.Errorf("%d rules", n)
	}
	for _, code := range fault.Graded() {
		if fault.SeverityOf(code) != fault.Info && !seen["Tutti"+string(code)] {
			t.Errorf("no alert for %s", code)
		}
	}
}

// What is written is YAML, and says what the table says.
func TestRulesAreYAML(t *testing.T) {
	t.Parallel()
	text, err := rulesFile()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.UnmarshalStrict(text, &doc); err != nil {
		t.Fatal(err)
	}
	for i, g := range groups() {
		for j, want := range g.rules {
			got := doc.Groups[i].Rules[j]
			if got.Alert != want.name || got.Expr != want.expr || got.Labels["severity"] != want.severity.String() ||
				got.Annotations["remedy"] != want.remedy || got.Annotations["description"] != want.cause ||
				got.Annotations["runbook"] == "" {
				t.Errorf("%+v is not %+v", got, want)
			}
		}
	}
	config, _ := prometheusFile()
	var any map[string]any
	if err := yaml.Unmarshal(config, &any); err != nil || any["scrape_configs"] == nil {
		t.Errorf("%v %v", err, any)
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	text, err := dashboardFile()
	if err != nil {
		t.Fatal(err)
	}
	schemaText, err := os.ReadFile("testdata/dashboard.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("dashboard.json", schema); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.MustCompile("dashboard.json").Validate(value); err != nil {
		t.Error(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	names := shown(t)
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("%s: the number %d twice", p.Title, p.ID)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			known(t, names, p.Title, target.Expr)
			if !strings.Contains(target.Expr, `instance=~"$instance"`) {
				t.Errorf("%s: %s is not of the chosen node", p.Title, target.Expr)
			}
		}
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					t.Fatalf("%s lies on %s", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
	}
}
