package models_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/models"
)

func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/ai-models.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// What the page tells to write is taken by the node without a word, and by the
// schema.
func TestExamplesOfThePage(t *testing.T) {
	t.Parallel()
	s := schema(t)
	blocks := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(page(t), -1)
	if len(blocks) < 3 {
		t.Fatalf("only %d examples", len(blocks))
	}
	for _, b := range blocks {
		text := b[1]
		c, notices, err := models.Load(models.Options{Value: "m.json", ReadFile: files(map[string]string{"m.json": text,
			"/m/models--meta-llama--Meta-Llama-3.1-70B-Instruct/refs/main": "abc",
			"/m/models--meta-llama--Meta-Llama-3.1-70B-Instruct/snapshots/abc/config." +
				"json": `{"num_attention_heads": 64, "num_hidden_layers": 80}`,
		}), ModelsDir: "/m", Devices: devices(t, "80,80")})
		if err != nil || len(notices) > 0 || c.Empty() {
			t.Errorf("%s\n%v\n%v", text, err, notices)
		}
		if err := schemaError(s, text); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
	prices := regexp.MustCompile("`(\"price_per_unit\": [^`]*)`").FindAllStringSubmatch(page(t), -1)
	if len(prices) < 6 {
		t.Fatalf("only %d prices", len(prices))
	}
	for _, p := range prices {
		text := `[{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true, "pixels_per_unit": 1, ` + p[1] + "}]"
		if _, _, err := models.Load(models.Options{Value: text}); err != nil || schemaError(s, text) != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	inline := regexp.MustCompile("`-aiModels ([^`]*)`").FindStringSubmatch(page(t))
	if c, _, err := models.Load(models.Options{Value: inline[1], ReadFile: files(nil), Offchain: true}); err != nil ||
		len(c.Entries) != 2 {
		t.Errorf("%s: %v", inline[1], err)
	}
	_, lists, _ := strings.Cut(page(t), "## Verified models")
	parts := strings.Split(lists, "```")
	for _, list := range []string{parts[1], parts[3]} {
		v := models.Verified{}
		if err := models.Extend(v, "own", list); err != nil || len(v) != 2 {
			t.Errorf("%s: %v", list, err)
		}
	}
	// The message that the page shows is the node's.
	_, _, err := models.Load(models.Options{Value: "aiModels.json", ReadFile: files(map[string]string{
		"aiModels.json": strings.Repeat(
			"\n",
			5,
		) + `[{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true, "pixels_per_unit": 1, ` +
			`"price_per_unit": 0.18}]`,
	})})
	if line := problemLines(err)[0]; !strings.Contains(page(t), "\n"+line+"\n") {
		t.Errorf("the page does not show %s", line)
	}
}

// The page's tables are the program's.
func TestTablesOfThePage(t *testing.T) {
	t.Parallel()
	text := page(t)
	row := func(cells ...string) {
		t.Helper()
		if want := "| " + strings.Join(cells, " | ") + " |"; !strings.Contains(text, want) {
			t.Errorf("the page has no row %s", want)
		}
	}
	for _, name := range models.FieldNames() {
		if !strings.Contains(text, "\n| `"+name+"` | ") {
			t.Errorf("the page has no field %s", name)
		}
	}
	shipped := models.Shipped()
	for _, p := range models.Pipelines() {
		memory := "depends on the model"
		if p.VRAM > 0 {
			memory = jsonText(t, p.VRAM/models.GB) + " GB"
		}
		row("`"+p.Name()+"`", p.Unit, memory)
		row("`"+p.Name()+"`", "`"+strings.Join(shipped[p.Capability], "`, `")+"`")
	}
	for model, bytes := range models.LargeModels() {
		if !strings.Contains(text, "`"+model+"` counts as "+jsonText(t, bytes/models.GB)+" GB") {
			t.Errorf("the page does not tell what %s needs", model)
		}
	}
	defaults := models.Entry{LLM: new(models.DefaultLLM())}
	for _, s := range defaults.Environment() {
		if !strings.Contains(text, "\n| `"+s.Name+"` | "+s.Value()+" | ") {
			t.Errorf("the page has no variable %s with default %s", s.Name, s.Value())
		}
	}
}
