package modelserver

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/test/fakegpu"
)

const modelsFile = `[
  {"pipeline": "llm", "model_id": "google/gemma-2-9b-it", "warm": true},
  {"pipeline": "llm", "model_id": "acme/own", "warm": true, "price_per_unit": 0.18, "currency": "USD", ` +
	`"pixels_per_unit": 1000000, "url": "http://h", "token": "geheim"},
  {"pipeline": "upscale", "model_id": "stabilityai/stable-diffusion-x4-upscaler", "warm": true}
]`

func modelsConfig(t *testing.T, content string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	c := &config.Config{}
	c.Roles.AIWorker = true
	c.Chain.Network = "offchain"
	c.Storage.DataDir = dir
	c.AI.ContainersPerGPU = 2
	c.AI.Models = filepath.Join(dir, "aiModels.json")
	c.AI.VerifiedModels = filepath.Join(dir, "verified.txt")
	for path, text := range map[string]string{c.AI.Models: content, c.AI.VerifiedModels: "llm acme/own\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestLoadModels(t *testing.T) {
	t.Parallel()
	c := modelsConfig(t, modelsFile)
	list, notices, err := modelconfig.Load(c, []models.Device{{ID: "0", MemoryBytes: 24.5 * models.GB}})
	if len(list.Entries) != 2 || len(list.Refused) != 1 || fault.CodeOf(err) != fault.WarmModelsTooLarge ||
		len(notices) != 2 {
		t.Errorf("%+v, %v, %v", list, notices, err)
	}
	if list.Entries[1].Prices[0].Price.String() != "0.18USD per 1000000" {
		t.Errorf("the price is %v", list.Entries[1].Prices)
	}
	c.Chain.Network = "arbitrum-one-mainnet"
	if list, _, err := modelconfig.Load(c, nil); len(list.Entries) != 1 || fault.CodeOf(err) != fault.ModelFieldMissing {
		t.Errorf("on-chain without prices: %+v, %v", list, err)
	}
	for _, path := range []string{"/nowhere/aiModels.json", c.Storage.DataDir} {
		c.AI.Models = path
		if list, _, err := modelconfig.Load(c, nil); !list.Empty() || fault.CodeOf(err) != fault.ModelsFileUnreadable {
			t.Errorf("%s: %+v, %v", path, list, err)
		}
	}
}

func TestModelsCheck(t *testing.T) {
	t.Parallel()
	c := modelsConfig(t, modelsFile)
	look := func(c *config.Config) (string, error) {
		check := &config.Check{Config: c}
		problems := modelconfig.Check(t.Context(), check)
		var out strings.Builder
		if err := check.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		return out.String(), problems
	}
	out, problems := look(c)
	if problems != nil {
		t.Fatal(problems)
	}
	for _, want := range []string{"line 2", "google/gemma-2-9b-it", "livepeer/ai-runner:llm", "http://h",
		"Notices about AI models"} {
		if !strings.Contains(out, want) {
			t.Errorf("the check does not show %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "geheim") {
		t.Error("the check shows a token")
	}
	out, problems = look(modelsConfig(t, "[{}, ]"))
	if fault.CodeOf(problems) != fault.ModelsFileInvalid || !strings.Contains(out, "aiModels.json:1:4: there is a comma") {
		t.Errorf("%v\n%s", problems, out)
	}
	c.AI.ContainersPerGPU = 1
	out, problems = look(c)
	if fault.CodeOf(problems) != fault.WarmModelsTooLarge || !strings.Contains(out,
		"aiModels.json:4: warm: with this one there are 2 warm containers") {
		t.Errorf("more warm models than places: %v\n%s", problems, out)
	}
	c.Roles.AIWorker = false
	if out, problems := look(c); problems != nil || strings.Contains(out, "AI models") {
		t.Errorf("without the role: %v, %s", problems, out)
	}
}

// What transcoding keeps of a GPU counts in the check of the configuration and in the
// doctor's as in the running node.
func TestModelsCheckDecidesAsTheNode(t *testing.T) {
	d := fakegpu.Build(t)
	t.Setenv("LD_LIBRARY_PATH", d.Directory())
	const entry = `{"pipeline": "llm", "model_id": "test/%s", "warm": true, "price_per_unit": 0, "pixels_per_unit": 1, ` +
		`"image": "tutti.invalid/runner:1", "vram_gb": %.3f}`
	// The GPU has 24564 MiB, of which transcoding keeps 1024.
	gb := func(mib float64) float64 { return mib * (1 << 20) / models.GB }
	crowds, fits := fmt.Sprintf(entry, "crowds", gb(24564-512)), fmt.Sprintf(entry, "fits", gb(24564-1024-64))
	c := modelsConfig(t, "["+crowds+", "+fits+"]")
	c.AI.AllowUnverified = true
	c.Transcoding.Devices = config.Devices{All: true}
	for _, transcodes := range []bool{true, false} {
		c.Roles.Transcoder = transcodes
		env := &nodeenv.Env{Config: c, Board: health.New(slog.New(slog.DiscardHandler), time.Now, nil)}
		p := &Part{Env: env, media: media.New(env, nil)}
		devices, err := p.findGPUs(t.Context())
		if err != nil || len(devices) != 1 {
			t.Fatal(devices, err)
		}
		want, _, _ := modelconfig.Load(c, devices)
		if len(want.Entries) != 1 || strings.HasSuffix(want.Entries[0].Model.ID, "fits") != transcodes {
			t.Fatalf("the node takes %+v", want.Entries)
		}
		problems := modelconfig.Check(t.Context(), &config.Check{Config: c})
		refused := "llm test/fits"
		if transcodes {
			refused = "llm test/crowds"
		}
		if list, _ := errors.AsType[models.Problems](problems); len(list) != 1 ||
			list[0].Model != refused {
			t.Errorf("transcodes %v: %v, %v", transcodes, problems, err)
		}
	}
}
