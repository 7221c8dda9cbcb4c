package models_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
)

// checkInvariants holds for every input: no panic, every message is one clean
// line with a code, what is returned is valid, and the same input gives the same
// answer.
func checkInvariants(t *testing.T, o models.Options) {
	c, notices, err := models.Load(o)
	if c == nil {
		t.Fatal("no configuration is returned")
	}
	if c.Empty() && err == nil && strings.TrimSpace(o.Value) != "" {
		t.Fatal("nothing is served and nothing said")
	}
	if err != nil {
		problems, ok := errors.AsType[models.Problems](err)
		if !ok || len(problems) == 0 {
			t.Fatalf("the error is %T %v", err, err)
		}
		for _, p := range problems {
			row, known := fault.Lookup(p.Code)
			if !known || row.Code == fault.Unexpected || p.Text == "" {
				t.Fatalf("a problem without code or text: %+v", p)
			}
			checkLine(t, p.Error())
			checkLine(t, p.Model)
		}
	}
	for _, n := range notices {
		checkLine(t, n.String())
	}
	for i := range c.Entries {
		checkEntry(t, o, &c.Entries[i])
	}
	again, _, err2 := models.Load(o)
	var one, two bytes.Buffer
	_ = c.WriteCheck(&one, nil)
	_ = again.WriteCheck(&two, nil)
	if one.String() != two.String() || strings.Join(problemLines(err), "\n") != strings.Join(problemLines(err2), "\n") {
		t.Fatal("two answers")
	}
	if strings.ContainsAny(one.String(), "\x00\x1b\r") {
		t.Fatalf("the table is not clean: %q", one.String())
	}
}

func checkLine(t *testing.T, line string) {
	t.Helper()
	if strings.ContainsAny(line, "\n\r\x00\x1b") || !utf8.ValidString(line) || len(line) > 3000 {
		t.Fatalf("not one clean line: %q", line)
	}
}

func checkEntry(t *testing.T, o models.Options, e *models.Entry) {
	t.Helper()
	id, err := capability.FromPipeline(e.Model.Capability.Pipeline())
	if err != nil || id != e.Model.Capability || id < capability.TextToImage || id > capability.TextToSpeech {
		t.Fatalf("an entry of %v", e.Model)
	}
	if e.Model.ID == "" || !o.AllowUnverified && !models.Shipped().Has(id, e.Model.ID) {
		t.Fatalf("an unverified model is served: %q", e.Model.ID)
	}
	if len(e.Prices) == 0 && !o.Offchain {
		t.Fatal("an entry without price")
	}
	for _, p := range e.Prices {
		if p.Price.Price.Amount().Sign() < 0 || !p.Price.IsSet() || p.Price.PixelsPerUnit < 1 {
			t.Fatalf("a price of %v", p.Price)
		}
		if wei, ok := p.Price.Price.Wei(); ok && p.Price.Price.Currency == "" && !wei.IsInt() {
			t.Fatalf("a fraction of a wei: %v", wei)
		}
	}
	if e.External() != (e.Containers() == 0) || e.External() != (e.GPUs.Count == 0) ||
		e.GPUs.Count > max(1, len(o.Devices)) {
		t.Fatalf("%+v", e)
	}
	names := map[string]bool{}
	for _, s := range e.Environment() {
		if names[s.Name] || strings.ContainsAny(s.Name+s.Value(), "\x00\n") || strings.Contains(s.Name, "=") {
			t.Fatalf("the variable %q", s)
		}
		names[s.Name] = true
	}
	if m := e.LLM; m != nil && (m.MaxBatchedTokens < m.MaxModelLen ||
		m.PipelineParallel*m.TensorParallel != e.GPUs.Count || !(m.Utilization > 0 && m.Utilization <= 1)) {
		t.Fatalf("settings that break a rule: %+v on %+v", m, e.GPUs)
	}
}

func FuzzFile(f *testing.F) {
	for _, dir := range []string{"bad", "good"} {
		for _, x := range fixtures(f, dir) {
			f.Add([]byte(x.content), uint8(len(x.content)))
		}
	}
	gpus := devices(f, "24,24,80")
	f.Fuzz(func(t *testing.T, content []byte, switches uint8) {
		o := models.Options{Value: "aiModels.json", AllowUnverified: switches&1 != 0, Offchain: switches&2 != 0}
		if switches&4 != 0 {
			o.Devices = gpus
		}
		if switches&8 != 0 {
			o.DefaultPrice = core.UnitPrice{Price: price(t, "1200"), PixelsPerUnit: 1}
		}
		o.ReadFile = files(map[string]string{"aiModels.json": string(content)})
		checkInvariants(t, o)
	})
}

func FuzzInline(f *testing.F) {
	f.Add("llm:google/gemma-2-9b-it:true,upscale:stabilityai/stable-diffusion-x4-upscaler:0")
	f.Add("llm:llama3.1:8b,:::,,a:b:c:d:e")
	f.Add("llm:\x00:\xff")
	f.Add("[{}]")
	f.Fuzz(func(t *testing.T, value string) {
		checkInvariants(t, models.Options{Value: value, Offchain: true, AllowUnverified: true})
		checkInvariants(t, models.Options{Value: value})
	})
}

func FuzzVerified(f *testing.F) {
	f.Add(`{"llm": ["acme/own"]}`)
	f.Add("# ours\nllm acme/own\n")
	f.Add("{\"llm\": [1, {}, \"\"], \"x\": 2}")
	f.Fuzz(func(t *testing.T, content string) {
		v := models.Verified{}
		for _, line := range problemLines(models.Extend(v, "own", content)) {
			checkLine(t, line)
		}
		for _, ids := range v {
			for _, id := range ids {
				if id == "" || strings.ContainsAny(id, " \n\x00") {
					t.Fatalf("the ID %q", id)
				}
			}
		}
	})
}

func FuzzModelDescription(f *testing.F) {
	f.Add("abc", `{"num_attention_heads": 32, "text_config": {"num_hidden_layers": 3}}`)
	f.Fuzz(func(t *testing.T, ref, config string) {
		read := files(map[string]string{
			"m": `[{"pipeline": "llm", "model_id": "acme/own", "warm": true, ` +
				`"optimization_flags": {"TENSOR_PARALLEL_SIZE": 2}}]`,
			"/m/models--acme--own/refs/main":                 ref,
			"/m/models--acme--own/snapshots/abc/config.json": config,
		})
		checkInvariants(t, models.Options{Value: "m", ModelsDir: "/m", AllowUnverified: true, Offchain: true,
			Devices: devices(t, "80,80"),
			ReadFile: func(path string) ([]byte, error) {
				if strings.Contains(path, "..") {
					t.Fatalf("reads %q", path)
				}
				return read(path)
			}})
	})
}
