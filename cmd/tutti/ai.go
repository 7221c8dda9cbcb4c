package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/ai/pictures"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/peers"
	"github.com/tuttinode/tutti/cmd/tutti/internal/release"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/http1"
	"github.com/tuttinode/tutti/server/metrics"
)

// aiWork is the AI part of an orchestrator: what serves its models, or why
// nothing does.
type aiWork struct {
	models  *models.Config
	manager *manager.Manager
	// notice is why models that were asked for are not served, "" when they are.
	notice atomic.Pointer[string]
	// problems are the conditions of the models file, files the sums of what was read of
	// it last; both belong to the start and then to reloads.
	problems []health.Key
	files    fileSums
}

// whyNot is the notice.
func (w *aiWork) whyNot() string {
	if text := w.notice.Load(); text != nil {
		return *text
	}
	return ""
}

// newAI reads the models file and makes what serves it. A file without a valid
// entry leaves a node that does everything but AI and says so; it is no error.
func (n *node) newAI(ctx context.Context) *aiWork {
	n.ai = &aiWork{files: sumFiles(n.Config)}
	if !n.Config.Roles.AIWorker {
		n.pricesOfModels(n.ai)
		return n.ai
	}
	// Servers behind a url need none of them, and containers wait for them.
	devices, _ := n.findGPUs(ctx)
	list, notices, problems := modelconfig.Load(n.Config, devices)
	for _, notice := range notices {
		n.Log.Warn("models file", "notice", notice.String())
	}
	out := n.ai
	why := n.reportModels(out, problems)
	if list.Empty() && why == "" {
		why = n.withoutModels()
	}
	out.notice.Store(&why)
	// Without a model too: a node that has nothing else to do stays up and says why.
	out.models, out.manager = list, n.newManager(list, devices)
	return out
}

// withoutModels says that no models were named. It is a trouble, unless workers
// elsewhere may have some.
func (n *node) withoutModels() (notice string) {
	if others := n.Config.Roles.Orchestrator && len(peers.Secrets(n.Config)) > 0; !others {
		n.Board.Set(health.Key{Code: fault.NoModels}, "-aiModels is not given")
	}
	return "no models: -aiModels is not given"
}

// findGPUs looks for the GPUs that were asked for. The board says what is missing
// of them; those that are there are used all the same.
func (n *node) findGPUs(ctx context.Context) ([]models.Device, error) {
	seen := modelconfig.FindGPUs(ctx, n.Config.Transcoding.Devices)
	present := seen.Present()
	n.media.SetModelGPUs(present)
	devices, err := modelconfig.GPUs(n.Config, seen, n.media.Budget)
	n.modelGPUs.Store(&devices)
	if ctx.Err() != nil || modelconfig.TranscodesOnGPUs(n.Config) {
		return devices, err // whoever watches them for transcoding says what is wrong
	}
	for _, code := range modelconfig.Problems {
		if err == nil || fault.CodeOf(err) != code {
			n.Board.Clear(health.Key{Code: code})
		}
	}
	if err != nil {
		n.Board.Report(health.Key{Code: fault.CodeOf(err)}, err)
	}
	return devices, err
}

// reportModels puts a models file's problems on the board, which tells of each
// once, and returns what /status says of them. The file's path is not for anyone
// to see.
func (n *node) reportModels(w *aiWork, problems error) string {
	list, _ := errors.AsType[models.Problems](problems)
	var codes []string
	details := make(map[health.Key][]string)
	var keys []health.Key
	for _, p := range list {
		key := health.Key{Code: p.Code, About: p.Model}
		if details[key] == nil {
			keys = append(keys, key)
		}
		details[key] = append(details[key], p.Error())
		if !slices.Contains(codes, string(p.Code)) {
			codes = append(codes, string(p.Code))
		}
	}
	for _, key := range keys {
		n.Board.Set(key, strings.Join(details[key], " | "))
	}
	w.problems = keys
	switch len(list) {
	case 0:
		return ""
	case 1:
		return "a problem in the models file: " + codes[0]
	}
	return fmt.Sprintf("%d problems in the models file: %s", len(list), strings.Join(codes, ", "))
}

// answerLimits are how long others may take with answers of models.
func (n *node) answerLimits() inference.Limits {
	c := &n.Config.AI
	return inference.Limits{FirstByte: c.FirstByteTimeout, Silence: c.SilenceTimeout, Whole: c.AnswerTimeout}
}

func (n *node) newManager(list *models.Config, devices []models.Device) *manager.Manager {
	opt := manager.Options{
		Entries:          modelconfig.Entries(list, n.Config.AI.VerboseLogs),
		Backends:         manager.Clients(http1.New(http1.Options{}), n.answerLimits(), n.Log),
		Devices:          modelconfig.Devices(devices),
		ContainersPerGPU: n.Config.AI.ContainersPerGPU,
		// Who waits for a cold model to load stands in the line too.
		Queue:    max(1, n.Config.AI.Queue),
		IdleTTL:  n.Config.AI.KeepAlive,
		Pictures: pictures.New(pictures.Options{Version: release.Version}),
		Board:    n.Board,
		Recorder: n.Inference(metrics.Orchestrator),
		Log:      n.Log,
		Now:      time.Now,
	}
	opt.Reserve = n.media.ReserveForModels
	if len(devices) == 0 && !n.Config.Transcoding.Devices.None() {
		opt.Find = func(ctx context.Context) ([]manager.Device, error) {
			found, err := n.findGPUs(ctx)
			return modelconfig.Devices(found), err
		}
	}
	n.addContainers(&opt, list.Managed())
	return manager.New(opt)
}

// addContainers adds what a manager needs to start containers; those that it has none of
// yet may come with a reload. What cannot be had is the reason why its containers fail;
// servers behind a url, and video, go on.
func (n *node) addContainers(opt *manager.Options, now bool) {
	images, err := modelconfig.Images(n.Config)
	opt.Images = manager.Images(images)
	if err != nil {
		opt.Images = ownImages(err)
	}
	if opt.ModelsDir, opt.NoContainers = filepath.Abs(modelconfig.Dir(n.Config)); now {
		opt.ModelsDir, opt.NoContainers = modelconfig.MakeDir(n.Config)
	}
	if opt.NoContainers != nil {
		return
	}
	engine, err := docker.Open(docker.Options{Owner: n.Config.Addresses.Service.String(), Log: n.Log, Now: time.Now})
	if err != nil {
		opt.NoContainers = err
		return
	}
	opt.Engine = engine
}

// ownImages knows the images that entries name themselves, while those for all
// cannot be read.
func ownImages(why error) func(*manager.Entry) (string, error) {
	return func(e *manager.Entry) (string, error) {
		if e.Image != "" {
			return e.Image, nil
		}
		return "", why
	}
}

// elsewhere is as many devices as workers may have, of any size: what does not run
// here need not fit here.
const elsewhere = 1024

// pricesOfModels reads the models file of an orchestrator that runs no models itself,
// for the prices of those that its workers bring.
func (n *node) pricesOfModels(w *aiWork) {
	if !n.Config.Roles.Orchestrator || n.Config.AI.Models == "" {
		return
	}
	list, notices, problems := modelconfig.Load(n.Config, make([]models.Device, elsewhere))
	for _, notice := range notices {
		n.Log.Warn("models file", "notice", notice.String())
	}
	w.models = list
	why := n.reportModels(w, problems)
	w.notice.Store(&why)
}
