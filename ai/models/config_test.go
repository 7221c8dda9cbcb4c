package models_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/inference"
)

func named(t *testing.T, dir, name string) *models.Config {
	t.Helper()
	for _, f := range fixtures(t, dir) {
		if f.name == name {
			c, _, _ := f.load(t)
			return c
		}
	}
	t.Fatalf("no fixture %s", name)
	return nil
}

func TestPriceOf(t *testing.T) {
	t.Parallel()
	c := named(t, "good", "gateways")
	llama := inference.Model{Capability: capability.LLM, ID: "meta-llama/Meta-Llama-3.1-8B-Instruct"}
	upscale := inference.Model{Capability: capability.Upscale, ID: "stabilityai/stable-diffusion-x4-upscaler"}
	known, err := core.ParseAddress("0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612")
	if err != nil {
		t.Fatal(err)
	}
	other := core.Address{1}
	for _, p := range []struct {
		model   inference.Model
		gateway core.Address
		want    string
	}{
		{llama, known, "1100 wei per 1"}, {llama, other, "1000 wei per 1"}, {llama, core.Address{}, "1000 wei per 1"},
		{upscale, known, "1200 wei per 1"}, {upscale, other, ""}, {upscale, core.Address{}, ""},
		{inference.Model{Capability: capability.Upscale, ID: llama.ID}, known, ""},
	} {
		got, ok := c.Price(p.model, p.gateway)
		if got.String() != p.want || ok != (p.want != "") {
			t.Errorf("%s for %s: %q, want %q", p.model, p.gateway, got, p.want)
		}
	}
	if m := c.Models(); len(m) != 2 || m[0] != llama || m[1] != upscale || !c.Managed() {
		t.Errorf("models %v", m)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	c := named(t, "good", "every-field")
	if env := c.Entries[0].Environment(); env != nil {
		t.Errorf("a server of the operator's gets %v", env)
	}
	var got []string
	for _, s := range c.Entries[1].Environment() {
		got = append(got, s.Name+"="+s.Value())
	}
	compareLines(t, "environment", got, []string{
		"USE_8BIT=true", "PIPELINE_PARALLEL_SIZE=1", "TENSOR_PARALLEL_SIZE=2", "MAX_MODEL_LEN=16384",
		"MAX_NUM_BATCHED_TOKENS=16384",
		"MAX_NUM_SEQS=128", "GPU_MEMORY_UTILIZATION=0.97", "HF_TOKEN=geheim", "EXTRA=a b",
	})
}

func TestWriteCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dir, name, want string }{
		{"good", "every-field", `
AI models  pipeline  model                                   start             price                GPU              ` +
			`                 runner
  line 2   llm       meta-llama/Meta-Llama-3.1-8B-Instruct   external, 4 jobs  0.18USD per 1000000  -                ` +
			`                 http://llm_runner:8000 as llama3.1:8b
  line 15  llm       meta-llama/Meta-Llama-3.1-70B-Instruct  warm              0.9USD per 1000000   device 0,1, 75.5 ` +
			`GB  livepeer/ai-runner:llm
`},
		{"bad", "all-at-once", `
AI models  pipeline       model                                     start    price         GPU              runner
  line 7   upscale        stabilityai/stable-diffusion-x4-upscaler  cold     1 wei per 1   1 device, 24 GB  image of ` +
			`upscale
  line 2   llm            acme/own                                  refused  -             -                -
  line 3   text-to-image  stabilityai/sdxl-turbo                    refused  -             -                -
  line 6   text-to-image  stabilityai/sdxl-turbo                    refused  -             -                -
`},
		{"bad", "empty", "\nNo AI models: none is advertised.\n"},
	} {
		var b bytes.Buffer
		err := named(t, c.dir, c.name).WriteCheck(&b, func(e *models.Entry) string {
			return "image of " +
				e.Model.Capability.Pipeline()
		})
		// The width of columns is the writer's business.
		squeeze := func(s string) string {
			lines := strings.Split(strings.TrimSpace(s), "\n")
			for i := range lines {
				lines[i] = strings.Join(strings.Fields(lines[i]), " ")
			}
			return strings.Join(lines, "\n")
		}
		if squeeze(b.String()) != squeeze(c.want) || err != nil {
			t.Errorf("%s\ngot\n%s\nwant\n%s", c.name, b.String(), c.want)
		}
	}
}

// Every way of writing an amount gives the same exact price.
func TestPricesAreExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.StringMatching(`(0|[1-9][0-9]{0,20})(\.[0-9]{1,12})?([eE]-?[0-9])?`).Draw(t, "amount")
		currency := rapid.SampledFrom([]string{"USD", "usd", "Eth", "EUR"}).Draw(t, "currency")
		want, err := core.ParsePrice(amount + strings.ToUpper(currency))
		if err != nil {
			t.Fatal(err)
		}
		entry := `{"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true, "pixels_per_unit": 1000000, ` +
			`"price_per_unit": `
		for _, form := range []string{
			amount + `, "currency": "` + currency + `"}`, `"` + amount + `", "currency": "` + currency + `"}`,
			`"` + amount + currency + `"}`, `"` + amount + " " + currency + `"}`,
			`" ` + amount + currency + `", "currency": "` + strings.ToLower(currency) + `"}`,
		} {
			c, _, err := models.Load(models.Options{Value: "[" + entry + form + "]"})
			if err != nil {
				t.Fatalf("%s: %v", form, err)
			}
			got := c.Entries[0].Prices[0].Price
			if got.Price.Amount().Cmp(want.Amount()) != 0 || got.Price.Currency != want.Currency ||
				got.PixelsPerUnit != 1_000_000 {
				t.Fatalf("%s is read as %s, want %s", form, got, want)
			}
		}
	})
}
