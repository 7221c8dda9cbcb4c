package models_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/tuttinode/tutti/ai/models"
)

const schemaPath = "../../docs/aiModels.schema.json"

func schemaDocument(t testing.TB) any {
	t.Helper()
	f, err := os.Open(schemaPath)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	document, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func schema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("aiModels.schema.json", schemaDocument(t)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("aiModels.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// schemaError is why the schema refuses a file, nil when it accepts it.
func schemaError(s *jsonschema.Schema, content string) error {
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.TrimPrefix(content, "\ufeff")))
	if err != nil {
		return err
	}
	return s.Validate(value)
}

// verdict is what the schema says of a file: "accepts", "refuses", or where it
// holds entries how many of them it refuses one by one.
func verdict(s *jsonschema.Schema, content string) string {
	if schemaError(s, content) == nil {
		return "accepts"
	}
	var entries []json.RawMessage
	if json.Unmarshal([]byte(content), &entries) != nil {
		return "refuses"
	}
	refused := 0
	for _, e := range entries {
		if schemaError(s, "["+string(e)+"]") != nil {
			refused++
		}
	}
	return fmt.Sprintf("refuses %d of %d", refused, len(entries))
}

// What an editor says by the schema is what each fixture says. It accepts some
// mistakes, as it cannot know the node's devices, lists and options, and is more
// strict in the spelling of keys.
func TestSchema(t *testing.T) {
	t.Parallel()
	s := schema(t)
	for _, dir := range []string{"bad", "good"} {
		for _, f := range fixtures(t, dir) {
			if got := verdict(s, f.content); got != f.schema {
				t.Errorf("%s: the schema %s, want %s: %v", f.name, got, f.schema, schemaError(s, f.content))
			}
		}
	}
}

func TestSchemaHasEveryField(t *testing.T) {
	t.Parallel()
	document := schemaDocument(t).(map[string]any)
	entry := document["items"].(map[string]any)
	properties := entry["properties"].(map[string]any)
	compareNames(t, "fields", slices.Collect(maps.Keys(properties)), models.FieldNames())

	pipelines := properties["pipeline"].(map[string]any)["enum"].([]any)
	var inSchema, known []string
	for _, p := range pipelines {
		inSchema = append(inSchema, p.(string))
	}
	for _, p := range models.Pipelines() {
		known = append(known, p.Name())
	}
	compareNames(t, "pipelines", inSchema, known)

	llm := document["$defs"].(map[string]any)["llm"].(map[string]any)["properties"].(map[string]any)
	compareNames(t, "variables", slices.Collect(maps.Keys(llm)), models.LLMVariables())
	defaults := models.Entry{LLM: new(models.DefaultLLM())}
	for _, s := range defaults.Environment() {
		text := strings.Trim(strings.ReplaceAll(jsonText(t, llm[s.Name].(map[string]any)["default"]), `"`, ""), " ")
		if text != s.Value() {
			t.Errorf("the schema's default of %s is %s, ours %s", s.Name, text, s.Value())
		}
	}
}

func compareNames(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s of the schema: %q, of the node: %q", what, got, want)
	}
}
