package models_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core/fault"
)

func jsonText(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func compareLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\ngot\n  %s\nwant\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// Each fixture's problems, notices and entries are exactly those next to it.
func TestFixtures(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"bad", "good"} {
		for _, f := range fixtures(t, dir) {
			t.Run(dir+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				c, notices, err := f.load(t)
				if (err == nil) != (dir == "good") {
					t.Errorf("the error is %v", err)
				}
				compareLines(t, "problems", problemLines(err), f.problems)
				compareLines(t, "notices", noticeLines(notices), f.notices)
				var entries []string
				for i := range c.Entries {
					entries = append(entries, entryLine(&c.Entries[i]))
				}
				compareLines(t, "entries", entries, f.entries)
			})
		}
	}
}

// Every code of the models file is produced by something, and can be found by
// errors.Is and fault.CodeOf.
func TestEachCodeIsProduced(t *testing.T) {
	t.Parallel()
	seen := map[fault.Code]bool{}
	record := func(err error) {
		problems, ok := errors.AsType[models.Problems](err)
		if !ok {
			t.Fatalf("the error is a %T", err)
		}
		for _, p := range problems {
			seen[p.Code] = true
			if !errors.Is(err, p.Code) {
				t.Errorf("errors.Is does not find %s", p.Code)
			}
		}
		if fault.CodeOf(err) != problems[0].Code {
			t.Errorf("CodeOf is %s, want %s", fault.CodeOf(err), problems[0].Code)
		}
	}
	for _, f := range fixtures(t, "bad") {
		_, _, err := f.load(t)
		record(err)
	}
	_, _, err := models.Load(models.Options{Value: "forbidden", VerifiedFile: "broken", ReadFile: files(nil)})
	record(err)
	for _, s := range fault.Sections() {
		if s.Title != "AI models file" {
			continue
		}
		if len(s.Rows) < 10 {
			t.Errorf("only %d codes", len(s.Rows))
		}
		for _, r := range s.Rows {
			if !seen[r.Code] {
				t.Errorf("no fixture produces %s", r.Code)
			}
		}
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	large := "[" + strings.Repeat(" ", models.MaxFileBytes) + "]"
	many := "[" + strings.Repeat("0,", 100_001) + "0]"
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	entries := "[" + strings.Repeat("{},", 1000) + "{}]"
	content := map[string]string{"large.json": large, "many.json": many, "deep.json": deep, "entries.json": entries,
		"e.json": "[]"}
	const end = "; correct -aiModels; it takes a file's path or pipeline:model_id:warm,…"
	for _, c := range []struct{ value, want string }{
		{"none.json", "none.json: there is no such file" + end},
		{"/etc/a:b:c", "/etc/a:b:c: there is no such file" + end},
		{"forbidden", "forbidden: this user may not read it" + end},
		{"broken", "broken: input/output error" + end},
		{"a\x00b", `"a\x00b": there is no such file` + end},
		{"large.json", "large.json: the file is larger than 4 MiB" + end},
		{"many.json", "many.json: more than 100000 values; shorten the list"},
		{"deep.json", "deep.json:1:10001: this is not JSON: invalid character '[' exceeded max depth"},
	} {
		cfg, _, err := models.Load(models.Options{Value: c.value, ReadFile: files(content)})
		if !cfg.Empty() || !errors.Is(err, fault.NoModels) {
			t.Errorf("%q is taken: %v", c.value, err)
			continue
		}
		if got := problemLines(err)[0]; got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.value, got, c.want)
		}
	}
	_, notices, err := models.Load(models.Options{Value: "entries.json", ReadFile: files(content)})
	if n := len(problemLines(err)); n > 250 || len(notices) > 250 {
		t.Errorf("%d problems and %d notices are told", n, len(notices))
	}
	if _, _, err := models.Load(models.Options{Value: "x.json"}); !errors.Is(err, fault.ModelsFileUnreadable) {
		t.Errorf("without a way to read files: %v", err)
	}
}

func TestNothingIsGiven(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", " "} {
		c, notices, err := models.Load(models.Options{Value: value})
		if err != nil || !c.Empty() || c.Managed() || len(c.Models()) != 0 {
			t.Errorf("%q: %v, %v", value, c, err)
		}
		compareLines(t, "notices", noticeLines(notices), []string{"-aiModels: is not given, so no AI is offered"})
	}
}

func TestInlineForm(t *testing.T) {
	t.Parallel()
	const (
		llama = "meta-llama/Meta-Llama-3.1-8B-Instruct"
		end   = "-aiModels: no valid entry is left, so the node runs without AI; correct the file, then reload or restart"
	)
	free := func(n string) string {
		return "-aiModels entry " + n + ": price_per_unit: is left out: jobs are free, as always off-chain"
	}
	for _, c := range []struct {
		value                      string
		entries, notices, problems []string
	}{
		{value: "llm:" + llama + ":true", entries: []string{"llm " + llama + " warm"}, notices: []string{free("1")}},
		{value: " llm : " + llama + ":true", problems: []string{
			`-aiModels entry 1: pipeline: "llm " is no pipeline; did you mean llm?`,
			`-aiModels entry 1: model_id: ` +
				`" ` + llama + `" holds white space or control characters; write the hub's ID, ` +
				`"org/model"`, end}, notices: []string{free("1")}},
		{value: "llm:" + llama + ":1, upscale:stabilityai/stable-diffusion-x4-upscaler:F,",
			entries: []string{"llm " + llama + " warm", "upscale stabilityai/stable-diffusion-x4-upscaler"},
			notices: []string{free("1"), free("2")}},
		{value: "llm:" + llama, entries: []string{"llm " + llama},
			notices: []string{"-aiModels entry 1: warm: is left out, which counts as false: the model is loaded at its first " +
				"job", free("1")}},
		{value: "llm:" + llama + ":t:4:x", entries: []string{"llm " + llama + " warm"},
			notices: []string{`-aiModels entry 1: what follows the third part is ignored: "4:x"`, free("1")}},
		{value: "llm:acme/llama3.1:8b:false", problems: []string{
			`-aiModels entry 1: model_id: "acme/llama3.1:8b" is not in the list of verified llm models; use a verified one, ` +
				`add it with -aiVerifiedModels or give -aiAllowUnverified`, end}, notices: []string{free("1")}},
		{value: "llm:llama3.1:8b", problems: []string{
			`-aiModels entry 1: model_id: "llama3.1" is not in the list of verified llm models; use a verified one, add it ` +
				`with -aiVerifiedModels or give -aiAllowUnverified`,
			`-aiModels entry 1: warm: "8b" is not true or false; write llm:llama3.1:true`, end}, notices: []string{free("1")}},
		{value: "lllm:" + llama + ":true,llm", problems: []string{
			`-aiModels entry 1: pipeline: "lllm" is no pipeline; did you mean llm?`,
			`-aiModels entry 2: model_id: missing minimum field; write pipeline:model_id:warm`, end},
			notices: []string{free("1"), "-aiModels entry 2: warm: is left out, which counts as false: the model is loaded " +
				"at its first job", free("2")}},
		{value: "llm:" + llama + ":true,llm:" + llama + ":false", entries: []string{"llm " + llama + " warm"},
			notices: []string{free("1"), free("2")}, problems: []string{
				`-aiModels entry 2: warm: ` +
					`llm ` + llama + ` is cold here and warm in entry 1; give both the same "warm", or delete one`}},
		{value: `[{"pipeline": "llm", "model_id": "` + llama + `", "warm": true, "price_per_unit": 1, "pixels_per_unit": 1}]`,
			entries: []string{"llm " + llama + " warm"}},
	} {
		cfg, notices, err := models.Load(models.Options{Value: c.value, ReadFile: files(nil), Offchain: true})
		compareLines(t, c.value+": problems", problemLines(err), c.problems)
		compareLines(t, c.value+": notices", noticeLines(notices), c.notices)
		var entries []string
		for _, e := range cfg.Entries {
			line := e.Model.String()
			if e.Warm {
				line += " warm"
			}
			entries = append(entries, line)
		}
		compareLines(t, c.value+": entries", entries, c.entries)
	}
	_, _, err := models.Load(models.Options{Value: "llm:" + llama + ":true", ReadFile: files(nil)})
	compareLines(t, "on-chain", problemLines(err), []string{
		"-aiModels entry 1: price_per_unit: missing minimum field; give -pricePerUnit, or write a file instead",
		"-aiModels entry 1: pixels_per_unit: missing minimum field; give -pricePerUnit, or write a file instead", end})
}
