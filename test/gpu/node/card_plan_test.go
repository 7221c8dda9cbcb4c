package node

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/adminapi"
	"github.com/tuttinode/tutti/test/gpu/card"
)

const (
	// promised is what is kept of a GPU for transcoding where models want all of it.
	promised = 1 << 30
	// beyond is how much more than that the model that fits leaves.
	beyond = 64 << 20
	// mostStreams bounds the streams of a GPU that refuses none.
	mostStreams = 16
	// tooLarge is the code of a model for which there is no memory.
	tooLarge = "WarmModelsTooLarge"
)

// The models of the plan: one that leaves transcoding what it is promised, one that
// would leave it half of that, and one that is larger than the GPU.
const (
	fitting, crowding, excessive = "test/fits", "test/crowds", "test/exceeds"
)

// cappedLine is how the log names such a refusal, with its numbers.
var cappedLine = regexp.MustCompile(`OrchestratorCapped \([^)]+\)`)

// TestCardMemoryPlan: models that stay loaded, and streams, share the GPU by plan.
// Nothing is started for the models, because there are no containers here.
func TestCardMemoryPlan(t *testing.T) {
	c := card.Open(t)
	parallel(t, c)
	if late(t) {
		return
	}
	b := startBeside(t, c)
	models := modelsFile(t, b.external(), managed(crowding, c.Memory-promised/2),
		managed(fitting, c.Memory-promised-beyond), managed(excessive, c.Memory+promised))
	args := []string{"-aiWorker", "-aiAllowUnverified", "-aiRunnerContainersPerGPU", "4", "-aiModels", models}
	r := startBy(t, c, formOf(c), beginWithoutEngine, args...)
	r.plan()
	r.configCheck()
	card.NoError(t, r.chat(), "the model of a server alongside the node answers", "")
	r.shares()
	card.SkipCheck(t, "models in containers alongside streams",
		"they need a container engine and images, which the kit does not have")
}

// beginWithoutEngine keeps the node off a container engine that the machine may have.
func beginWithoutEngine(t *testing.T, env []string, ladder string, args ...string) *node {
	t.Helper()
	return begin(t, append(env, "DOCKER_HOST=unix:///proc/no-engine"), ladder, args...)
}

// managed is a model in a container that needs so much memory, in bytes.
func managed(name string, bytes int64) entry {
	return entry{"pipeline": "llm", "model_id": name, "warm": true, "price_per_unit": 0, "pixels_per_unit": 1_000_000,
		"image": "tutti.invalid/runner:1", "vram_gb": float64(bytes/1e6) / 1e3}
}

// plan looks which models the running node takes.
func (r *rig) plan() {
	refused := r.refusedModels()
	for name, want := range map[string]bool{fitting: false, crowding: true, excessive: true, runnerModel: false} {
		says, is := refused[name]
		expected := "not refused for its size"
		if want {
			expected = tooLarge
		}
		card.CheckThat(r, is == want, "the plan for the model "+name, expected, cut(fmt.Sprintf("refused %v %s", is, says)),
			"")
	}
	var page adminapi.Dashboard
	if err := r.read(adminapi.PathDashboard, &page); !card.NoError(r, err, "the dashboard", "") {
		return
	}
	states := map[string]string{}
	for _, m := range page.Models {
		states[m.Model] = m.State
	}
	card.CheckThat(r, states[fitting] != "" && states[crowding] == "" && states[excessive] == "", "the dashboard's models",
		"those that fit", fmt.Sprint(states), "")
	_, ready := r.within(sampleTime, func() bool {
		return r.read(adminapi.PathDashboard, &page) == nil && modelState(&page, runnerModel) == "ready"
	})
	card.CheckThat(r, ready, "the model of a server alongside the node", "ready", modelState(&page, runnerModel), "")
}

func modelState(page *adminapi.Dashboard, name string) string {
	for _, m := range page.Models {
		if m.Model == name {
			return m.State
		}
	}
	return "none"
}

// refusedModels are those for which there is no memory, with what the operator gets.
func (r *rig) refusedModels() map[string]string {
	out := map[string]string{}
	var all adminapi.Conditions
	if err := r.read(adminapi.PathConditions, &all); err != nil {
		return out
	}
	for _, c := range all.Conditions {
		if c.Code != tooLarge {
			continue
		}
		for _, name := range []string{fitting, crowding, excessive, runnerModel} {
			if strings.Contains(c.About+" "+c.Detail, name) {
				out[name] = c.Detail
			}
		}
	}
	return out
}

// configCheck looks at what `tutti config check` says of the same file.
func (r *rig) configCheck() {
	text, err := r.output(binary, r.card.Env(), append([]string{"config", "check"}, r.args...)...)
	if err == nil && text == "" {
		card.CheckThat(r, false, "tutti config check", "a list of models", "nothing", "")
		return
	}
	taken, problems, _ := strings.Cut(text, "Problems with AI models")
	needs := func(bytes int64) string {
		return "the model needs " + strconv.FormatFloat(math.Round(float64(bytes)/1e8)/10, 'f', -1, 64) + " GB"
	}
	card.CheckThat(r, strings.Contains(problems, needs(r.card.Memory+promised)),
		"tutti config check of a model that is larger than the GPU",
		"refused: "+needs(r.card.Memory+promised), cut(problems), "")
	card.CheckThat(r, strings.Contains(problems, needs(r.card.Memory-promised/2)),
		"tutti config check of a model that leaves transcoding too little",
		"refused, as by the running node: "+needs(r.card.Memory-promised/2), cut(problems), "")
	card.CheckThat(r, strings.Contains(taken, fitting), "tutti config check of a model that fits",
		"taken, as by the running node", cut(problems), "")
}

// shares opens streams until the node takes no more: transcoding has what it is
// promised, and no more than the models leave.
func (r *rig) shares() {
	o := r.send("stream0")
	card.CheckThat(r, o.err == nil, "a stream alongside the models' plan", "done", fmt.Sprint(o.err), milliseconds(o.took))
	asked := len(r.proc.Log())
	streams := 1
	var last outcome
	for ; streams < mostStreams; streams++ {
		if last = r.send(fmt.Sprintf("stream%d", streams)); last.err != nil {
			break
		}
	}
	w := r.look()
	if w == nil {
		card.CheckThat(r, false, "the GPU's worker alongside the models' plan", "one", "none", "")
		return
	}
	left := int64(promised + beyond)
	card.CheckThat(r, w.Memory > 0 && w.Memory <= left, "the memory that streams are reckoned to use alongside the models",
		"at most the "+mib(left)+" that the models leave",
		fmt.Sprintf("%s for %d streams", mib(w.Memory), w.Sessions), fmt.Sprintf("%d streams", streams))
	if last.err == nil {
		card.SkipCheck(r, "the refusal of a stream for which the models leave no memory",
			fmt.Sprintf("%d streams have room", streams))
		return
	}
	card.CheckThat(r, last.refused(), "a stream for which there is no room alongside the models", "refused by name",
		cut(last.err.Error()), "")
	_, named := r.within(logTime, func() bool { return strings.Contains(r.proc.Log()[asked:], "OrchestratorCapped") })
	card.CheckThat(r, named, "the name of that refusal", "OrchestratorCapped in the log", fmt.Sprint(named), "")
	if why := cappedLine.FindString(r.proc.Log()[asked:]); why != "" {
		card.RecordCheck(r, "why it was refused", why, "")
	}
}
