package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/test/harness"
)

// TestNoModels starts nodes whose models file leaves nothing to serve. They run
// on, with and without other work, advertise no AI and say why.
func TestNoModels(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, models string
		args         []string
		codes        []fault.Code
		says         string
	}{
		{"missing file", "nosuch/aiModels.json", nil, []fault.Code{fault.ModelsFileUnreadable, fault.NoModels},
			"nosuch/aiModels.json: there is no such file"},
		{"missing file alongside video", "nosuch/aiModels.json", []string{"-transcoder"},
			[]fault.Code{fault.ModelsFileUnreadable, fault.NoModels}, "there is no such file"},
		{"broken JSON", writeFile(t, "aiModels.json", "[\n {\"pipeline\": \"llm\",\n  \"model_id\": \"a/b\",}\n]"), nil,
			[]fault.Code{fault.ModelsFileInvalid, fault.NoModels},
			"aiModels.json:3:20: there is a comma behind the last of a list"},
		{"no valid entry", writeFile(t, "aiModels.json", `[{"pipeline": "text-to-music", "model_id": "a/b", "warm": true}]`),
			nil,
			[]fault.Code{fault.ModelPipelineUnknown, fault.NoModels}, "text-to-music"},
		{"only models that are not verified",
			writeFile(t, "aiModels.json",
				`[{"pipeline": "llm", "model_id": "meta-llama/meta-llama-3.1-8b-instruct", "warm": true, "url": `+
					`"http://127.0.0.1:1"}]`), nil,
			[]fault.Code{fault.ModelUnverified, fault.NoModels}, "meta-llama/meta-llama-3.1-8b-instruct"},
		{"not even inline", "llm:a/b:perhaps", nil, []fault.Code{fault.ModelFieldInvalid, fault.NoModels}, "perhaps"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			n := startNode(t, setup{models: row.models, args: row.args})
			if len(n.warnings(row.says)) == 0 {
				t.Errorf("nothing says %q:\n%s", row.says, n.Log())
			}
			list := n.conditions()
			for _, code := range row.codes {
				n.warnedOnce(code)
				if !strings.Contains(n.notice(), string(code)) {
					t.Errorf("/status says %q, without %s", n.notice(), code)
				}
				found := false
				for _, c := range list {
					found = found || c.Code == string(code) && c.Remedy != ""
				}
				if !found {
					t.Errorf("%s is not on the list: %+v", code, list)
				}
			}
			if strings.Contains(n.notice(), "/") {
				t.Errorf("strangers see paths: %q", n.notice())
			}
			_, gw := gateway(t, n.orch)
			a, err := ask(t.Context(), gw+"/llm", "", chatRequest("a/b", 3, false))
			if err != nil || a.Status != http.StatusNotFound || a.Error != "model_not_found" {
				t.Errorf("a client asks for AI: %v, %+v", err, a)
			}
		})
	}
	explained(t, fault.NoModels, fault.ModelsFileUnreadable, fault.ModelsFileInvalid, fault.ModelPipelineUnknown,
		fault.ModelUnverified)
}

// TestRefusedEntries serves what is right of a file and names what is not.
func TestRefusedEntries(t *testing.T) {
	t.Parallel()
	server := canned(t, http.NotFound)
	good, mistyped := llmEntry(cannedModel, server.URL), llmEntry("Meta-Llama/Meta-Llama-3.1-8B-Instruct", server.URL)
	list := writeFile(t, "verified.txt", "llm "+cannedModel+"\n")
	n := startNode(t, setup{entries: []entry{good, mistyped}, args: []string{"-aiVerifiedModels", list}})
	awaitModel(t, n.Process, n.orch, cannedModel, "ready")
	c := n.condition(fault.ModelUnverified, "llm Meta-Llama/Meta-Llama-3.1-8B-Instruct")
	if !strings.Contains(c.Detail, "aiModels.json:") || !strings.Contains(c.Detail,
		"meta-llama/Meta-Llama-3.1-8B-Instruct") {
		t.Errorf("the detail tells neither where nor what was meant: %s", c.Detail)
	}
	n.warnedOnce(fault.ModelUnverified)
	if m := model(t, n.orch, "Meta-Llama/Meta-Llama-3.1-8B-Instruct"); m.State != "" {
		t.Errorf("it is served: %+v", m)
	}
	for _, c := range n.conditions() {
		if c.Code == string(fault.NoModels) {
			t.Errorf("%+v", c)
		}
	}

	// The operator insists.
	n = startNode(t, setup{entries: []entry{good, mistyped}, args: []string{"-aiAllowUnverified"}})
	awaitModel(t, n.Process, n.orch, cannedModel, "ready")
	if m := model(t, n.orch, "Meta-Llama/Meta-Llama-3.1-8B-Instruct"); m.State == "" {
		t.Error("it is not even tried")
	}
	if n.notice() != "" {
		t.Error(n.notice())
	}
}

// driver is the environment of a machine whose driver is so.
func driver(t *testing.T, script ...string) []string {
	t.Helper()
	d := fakegpu.Build(t)
	d.Script(script...)
	return d.Env()
}

// TestWarmModelsTooLarge has a device for one of two warm models.
func TestWarmModelsTooLarge(t *testing.T) {
	t.Parallel()
	large := func(id string, gigabytes int) entry {
		return entry{"pipeline": "text-to-image", "model_id": id, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1,
			"vram_gb": gigabytes}
	}
	first, second := large("test/first", 16), large("test/second", 12)
	env := driver(t, "device0.memory=24576")
	n := startNode(t, setup{entries: []entry{first, second}, env: env,
		args: []string{"-aiAllowUnverified", "-gpu", "all"}})
	c := n.condition(fault.WarmModelsTooLarge, "text-to-image test/second")
	for _, want := range []string{"warm", "28 GB", "vram_gb"} {
		if !strings.Contains(c.Detail, want) {
			t.Errorf("the detail lacks %q: %s", want, c.Detail)
		}
	}
	n.warnedOnce(fault.WarmModelsTooLarge)
	if m := model(t, n.orch, "test/second"); m.State != "" {
		t.Errorf("it is started all the same: %+v", m)
	}
	if m := model(t, n.orch, "test/first"); m.State == "" {
		t.Error("the one that fits is gone")
	}
	if !strings.Contains(n.notice(), string(fault.WarmModelsTooLarge)) {
		t.Error(n.notice())
	}

	// A cold one takes its turn.
	second["warm"] = false
	n = startNode(t, setup{entries: []entry{first, second}, env: env, args: []string{"-aiAllowUnverified", "-gpu", "all"}})
	if m := model(t, n.orch, "test/second"); m.State == "" || n.notice() != "" {
		t.Errorf("cold: %+v, %s", m, n.notice())
	}
	explained(t, fault.WarmModelsTooLarge)
}

// TestNothingForContainers starts containers by overrides that say nothing, in a
// directory that cannot be: what needs neither goes on.
func TestNothingForContainers(t *testing.T) {
	t.Parallel()
	server := canned(t, http.NotFound)
	const pipeline, id = "text-to-image", "test/managed"
	managed := entry{"pipeline": pipeline, "model_id": id, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1,
		"vram_gb": 1}
	file := writeFile(t, "file", "")
	for code, args := range map[fault.Code][]string{
		fault.ImageOverridesInvalid: {"-aiRunnerImageOverrides", `{"batch":{"nope":"x"}}`},
		fault.ModelsDirUnusable:     {"-aiModelsDir", file + "/models"},
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			n := startNode(t, setup{entries: []entry{managed, llmEntry(cannedModel, server.URL)},
				args: append(args, "-aiAllowUnverified")})
			awaitModel(t, n.Process, n.orch, cannedModel, "ready")
			n.fails(pipeline, id, code)
		})
	}
	explained(t, fault.ImageOverridesInvalid, fault.ModelsDirUnusable)
}

// TestNoGPU asks for all GPUs where none can be used: models elsewhere are served.
func TestNoGPU(t *testing.T) {
	t.Parallel()
	server := canned(t, http.NotFound)
	for code, env := range map[fault.Code][]string{
		fault.NoDevices: driver(t, "devices=0"), fault.GPUDriverMismatch: driver(t, "nvml.init=18"),
	} {
		t.Run(string(code), func(t *testing.T) {
			t.Parallel()
			n := startNode(t, setup{entries: []entry{llmEntry(cannedModel, server.URL)}, env: env,
				args: []string{"-aiAllowUnverified", "-gpu", "all"}})
			awaitModel(t, n.Process, n.orch, cannedModel, "ready")
			n.condition(code, "")
			n.warnedOnce(code)
		})
	}
	explained(t, fault.NoDevices, fault.GPUDriverMismatch)
}

// TestCheckTellsAll has every mistake of a models file at once, each with its line
// and field.
func TestCheckTellsAll(t *testing.T) {
	t.Parallel()
	path := writeFile(t, "aiModels.json", `[
 {"pipeline": "text-to-image", "model_id": "SG161222/RealVisXL_V4.0_Lightning", "warm": true,
  "price_per_unit": 4768371, "pixels_per_unit": 1,
  "optimization_flags": "SFAST,DEEPCACHE"},
 {"pipeline": "llm", "model_id": "meta-llama/Meta-Llama-3.1-8B-Instruct", "warm": "yes please",
  "price_per_unit": 0.18,
  "pixels_per_unit": 1000000,
  "optimization_flags": {"MAX_MODEL_LEN": 8192, "MAX_NUM_BATCHED_TOKENS": 4096,
   "GPU_MEMORY_UTILIZATION": 1.5}},
 {"pipeline": "llm", "model_id": "who/knows",
  "warm": true, "price_per_unit": 0, "pixels_per_unit": 1, "url": "ftp://h"}
]`)
	out, status := harness.Output(t, binary, "config", "check", "-orchestrator", "-aiWorker", "-aiModels", path)
	if status != 1 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{
		"aiModels.json:4: optimization_flags: SFAST and DEEPCACHE cannot be combined",
		"aiModels.json:4: optimization_flags: DEEPCACHE spoils",
		"aiModels.json:5: warm:",
		"aiModels.json:6: price_per_unit:",
		"aiModels.json:8: optimization_flags.MAX_NUM_BATCHED_TOKENS:",
		"aiModels.json:9: optimization_flags.GPU_MEMORY_UTILIZATION:",
		"aiModels.json:10: model_id:",
		"aiModels.json:11: url:",
		"no valid entry is left",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}
