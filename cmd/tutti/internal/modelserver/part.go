package modelserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
)

// Part is what serves the node's models, or why nothing does.
type Part struct {
	*nodeenv.Env
	// Models are what the models file names; nil where there is none to read.
	Models *models.Config
	// Manager serves them; nil on an orchestrator that runs no models itself.
	Manager *manager.Manager
	media   *media.Part
	// modelGPUs are the GPUs that the models file is checked against.
	modelGPUs atomic.Pointer[[]models.Device]
	// notice is why models that were asked for are not served, "" when they are.
	notice atomic.Pointer[string]
	// problems are the conditions of the models file, files the sums of what was read of
	// it last; both belong to the start and then to reloads.
	problems []health.Key
	files    nodeenv.FileSums
}

// Notice is why models that were asked for are not served, "" when they are.
func (p *Part) Notice() string {
	if text := p.notice.Load(); text != nil {
		return *text
	}
	return ""
}

// New reads the models file and makes what serves it. A file without a valid entry leaves a node
// that does everything but AI and reports it; that is no error.
func New(ctx context.Context, env *nodeenv.Env, gpus *media.Part) *Part {
	p := &Part{Env: env, media: gpus, files: nodeenv.SumFiles(env.Config)}
	if !p.Config.Roles.AIWorker {
		p.readPrices()
		return p
	}
	// Servers behind a url need no GPU, and containers wait for them.
	devices, _ := p.findGPUs(ctx)
	list, notices, problems := modelconfig.Load(p.Config, devices)
	for _, notice := range notices {
		p.Log.Warn("models file", "notice", notice.String())
	}
	why := p.reportModels(problems)
	if list.Empty() && why == "" {
		why = p.withoutModels()
	}
	p.notice.Store(&why)
	// Without a model too: a node that has nothing else to do stays up and says why.
	p.Models, p.Manager = list, p.newManager(list, devices)
	return p
}

// withoutModels says that no models were named. It is a problem, unless workers
// elsewhere may have some, or the node has the sample of live video.
func (p *Part) withoutModels() (notice string) {
	others := p.Config.Roles.Orchestrator && len(nodeenv.Secrets(p.Config)) > 0
	if !others && p.Config.LiveAI.SampleSessions == 0 {
		p.Board.Set(health.Key{Code: fault.NoModels}, "-aiModels is not given")
	}
	return "no models: -aiModels is not given"
}

// findGPUs looks for the GPUs that were asked for. The board says what is missing
// of them; those that are there are used all the same.
func (p *Part) findGPUs(ctx context.Context) ([]models.Device, error) {
	seen := modelconfig.FindGPUs(ctx, p.Config.Transcoding.Devices)
	present := seen.Present()
	p.media.SetModelGPUs(present)
	devices, err := modelconfig.GPUs(p.Config, seen, p.media.Budget)
	p.modelGPUs.Store(&devices)
	if ctx.Err() != nil || modelconfig.TranscodesOnGPUs(p.Config) {
		return devices, err // their watcher for transcoding reports what is wrong
	}
	for _, code := range modelconfig.Problems() {
		if err == nil || fault.CodeOf(err) != code {
			p.Board.Clear(health.Key{Code: code})
		}
	}
	if err != nil {
		p.Board.Report(health.Key{Code: fault.CodeOf(err)}, err)
	}
	return devices, err
}

// reportModels puts a models file's problems on the board, which reports each
// once, and returns what /status says of them. The file's path is not for anyone
// to see.
func (p *Part) reportModels(problems error) string {
	list, _ := errors.AsType[models.Problems](problems)
	var codes []string
	details := make(map[health.Key][]string)
	var keys []health.Key
	for _, one := range list {
		key := health.Key{Code: one.Code, About: one.Model}
		if details[key] == nil {
			keys = append(keys, key)
		}
		details[key] = append(details[key], one.Error())
		if !slices.Contains(codes, string(one.Code)) {
			codes = append(codes, string(one.Code))
		}
	}
	for _, key := range keys {
		p.Board.Set(key, strings.Join(details[key], " | "))
	}
	p.problems = keys
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "a problem in the models file: " + codes[0]
	}
	return fmt.Sprintf("%d problems in the models file: %s", len(list), strings.Join(codes, ", "))
}

// elsewhere is as many devices as workers may have, of any size: what does not run
// here need not fit here.
const elsewhere = 1024

// readPrices reads the models file of an orchestrator that runs no models itself,
// for the prices of those that its workers have.
func (p *Part) readPrices() {
	if !p.Config.Roles.Orchestrator || p.Config.AI.Models == "" {
		return
	}
	list, notices, problems := modelconfig.Load(p.Config, make([]models.Device, elsewhere))
	for _, notice := range notices {
		p.Log.Warn("models file", "notice", notice.String())
	}
	p.Models = list
	why := p.reportModels(problems)
	p.notice.Store(&why)
}
