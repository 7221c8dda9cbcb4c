package airouting_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tuttinode/tutti/core/airouting"
)

const file = `{"models": {
	"gpt-4o-mini": {"model": "m/small", "parameters": {"temperature": 0.2}, "fallbacks": ["fast", "m/big"],
		"longer": ["m/long"]},
	"fast": {"model": "m/tiny", "parameters": {"seed": 1}, "fallbacks": ["never"]},
	"m/big": {"fallbacks": ["m/small"]}
}}`

func TestTargets(t *testing.T) {
	t.Parallel()
	table, err := airouting.ParseModelRoutes([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		table *airouting.ModelRoutes
		names string
		want  string
	}{
		{nil, "m/small", "m/small for m/small (asked)"},
		{nil, "a b a", "a for a (asked), b for b (alternative)"},
		{table, "other", "other for other (asked)"},
		{table, "gpt-4o-mini", `m/small for gpt-4o-mini (asked) {"temperature":0.2}, ` +
			`m/long for gpt-4o-mini (longer), m/tiny for gpt-4o-mini (fallback) {"seed":1}, m/big for gpt-4o-mini (fallback)`},
		{table, "m/big gpt-4o-mini", `m/big for m/big (asked), m/small for m/big (fallback), ` +
			`m/long for gpt-4o-mini (longer), m/tiny for gpt-4o-mini (fallback) {"seed":1}`},
	} {
		var got []string
		for _, x := range tt.table.Targets(strings.Fields(tt.names)...) {
			text := fmt.Sprintf("%s for %s (%s)", x.Model, x.Name, x.Reason)
			if x.Parameters != nil {
				b, _ := json.Marshal(x.Parameters)
				text += " " + string(b)
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.names, text, tt.want)
		}
	}
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprint(i))
	}
	if n := len(table.Targets(many...)); n != 16 {
		t.Errorf("%d models are asked for one request", n)
	}
}

// What failed decides which models may do better.
func TestNext(t *testing.T) {
	t.Parallel()
	targets := []airouting.ModelTarget{{Reason: airouting.TargetAsked}, {Reason: airouting.TargetLonger},
		{Reason: airouting.TargetLonger},
		{Reason: airouting.TargetFallback}, {Reason: airouting.TargetAlternative}, {Reason: airouting.TargetFallback}}
	for _, tt := range []struct {
		from    int
		failure airouting.TargetFailure
		tooLong bool
		want    int
	}{
		{0, airouting.FailureFinal, false, -1},
		{0, airouting.FailureUnable, false, 3},
		{0, airouting.FailureTooLong, false, 1},
		{1, airouting.FailureTooLong, true, 2},
		{1, airouting.FailureUnable, true, 2},
		{2, airouting.FailureUnable, true, 4},
		{3, airouting.FailureTooLong, false, 4},
		{4, airouting.FailureUnable, false, 5},
		{4, airouting.FailureUnable, true, -1},
		{5, airouting.FailureUnable, false, -1},
	} {
		if got := airouting.NextTarget(targets, tt.from, tt.failure, tt.tooLong); got != tt.want {
			t.Errorf("after %d, failure %d, too long %v: %d, want %d", tt.from, tt.failure, tt.tooLong, got, tt.want)
		}
	}
}

// wrongFiles are files with a mistake each, and what is said about it.
var wrongFiles = map[string]string{
	`[]`:                              "cannot unmarshal array",
	`{"models":{"a":{"modell":"b"}}}`: `unknown field "modell"`,
	`{"aliases":{}}`:                  `unknown field "aliases"`,
	`{"models":{"":{}}}`:              `models[""]: the name is empty`,
	`{"models":{"a":{"fallbacks":["b",""]}}}`: `models["a"]: fallbacks[1]: the name is empty`,
	`{"models":{"a":{"longer":[""]}}}`:        `models["a"]: longer[0]: the name is empty`,
	`{"models":{"a":{"longer":"b"}}}`:         "cannot unmarshal string",
	`{"models":{"a":{"parameters":{"max_tokens":5}}}}`: "parameters.max_tokens: " +
		"the field may not be set here",
	`{"models":{"` + strings.Repeat("a", 257) + `":{}}}`:            "more than 256 bytes",
	`{"models":{"a":{"model":"` + strings.Repeat("a", 257) + `"}}}`: "model: the name has more than 256 bytes",
}

// TestSchema compares the published schema with what is taken.
func TestSchema(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/routing.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("routing.json", parsed); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("routing.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			return err
		}
		return schema.Validate(v)
	}
	for _, good := range []string{file, `{}`, `{"models":{}}`, `{"$schema":"routing.schema.json","models":{"a":{}}}`} {
		_, err := airouting.ParseModelRoutes([]byte(good))
		if s := valid(good); err != nil || s != nil {
			t.Errorf("%s\n%v\n%v", good, err, s)
		}
	}
	for bad, want := range wrongFiles {
		_, err := airouting.ParseModelRoutes([]byte(bad))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", bad, err, want)
		}
		if valid(bad) == nil {
			t.Errorf("the schema takes %.80s", bad)
		}
	}
	for bad, want := range map[string]string{
		`{"models":{"a":{},"b":{},"a":{}}}`: `models["a"] is there twice`,
		`{} {}`:                             "text after the object",
		`{"models":{"a":{"parameters":{"MODEL":5}}}}`:             "parameters.MODEL",
		`{"models":{}, "x": ` + strings.Repeat(" ", 1<<20) + `1}`: "more than 1048576 bytes",
	} {
		if _, err := airouting.ParseModelRoutes([]byte(bad)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80s: %v, want %s", bad, err, want)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	table, err := airouting.ParseModelRoutes([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if got := table.Names(); !reflect.DeepEqual(got, []string{"fast", "gpt-4o-mini", "m/big"}) {
		t.Errorf("%q", got)
	}
	var none *airouting.ModelRoutes
	if none.Names() != nil || none.Model("a") != "a" || table.Model("fast") != "m/tiny" ||
		table.Model("m/big") != "m/big" {
		t.Error("a name stands for another model")
	}
}

// FuzzParse reads any file: what is taken can be used.
func FuzzParse(f *testing.F) {
	f.Add([]byte(file), "gpt-4o-mini")
	for text := range wrongFiles {
		f.Add([]byte(text), "a")
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		table, err := airouting.ParseModelRoutes(text)
		if err != nil {
			return
		}
		for _, x := range append(table.Targets(name), table.Targets(table.Names()...)...) {
			for key := range x.Parameters {
				if strings.EqualFold(key, "model") || strings.EqualFold(key, "max_tokens") {
					t.Errorf("the file sets %s", key)
				}
			}
			if x.Model == "" && name != "" {
				t.Errorf("%q stands for no model", x.Name)
			}
		}
	})
}
