package modelconfig

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pricing"
)

// assumedGPUs is as many as a machine has that shows none yet of "all".
const assumedGPUs = 16

// askedFor returns the GPUs that the models file is checked by while the driver shows
// none of them: their memory is not known.
func askedFor(d config.Devices) []models.Device {
	if d.All {
		for i := range assumedGPUs {
			d.IDs = append(d.IDs, i)
		}
	}
	return namedGPUs(d)
}

// Load reads what -aiModels names, for the devices that the node was given.
// The list is never nil; see models.Load for the error.
func Load(cfg *config.Config, devices []models.Device) (*models.Config, []models.Notice, error) {
	o := models.Options{
		Value:            cfg.AI.Models,
		ReadFile:         readModelsFile,
		VerifiedFile:     cfg.AI.VerifiedModels,
		AllowUnverified:  cfg.AI.AllowUnverified,
		ModelsDir:        Dir(cfg),
		ContainersPerGPU: cfg.AI.ContainersPerGPU,
		Offchain:         cfg.Chain.Offchain(),
		DefaultPrice:     core.UnitPrice{Price: cfg.Prices.PerUnit, PixelsPerUnit: cfg.Prices.PixelsPerUnit},
	}
	o.Serverless = cfg.AI.Serverless.On
	if !o.Offchain {
		o.CheckPrice = func(u core.UnitPrice) error {
			return pricing.Check(u, pricing.AskedWith(cfg.Prices.AutoAdjust), cfg.Prices.FeedCurrency)
		}
	}
	if len(devices) == 0 {
		// The file is read once: what is right when they are there must be right now.
		devices = askedFor(cfg.Transcoding.Devices)
	}
	o.Devices = devices
	return models.Load(o)
}

// Dir returns where weights are kept.
func Dir(cfg *config.Config) string {
	if cfg.AI.ModelsDir != "" {
		return cfg.AI.ModelsDir
	}
	return filepath.Join(cfg.Storage.DataDir, "models")
}

// Images says which image runs what, by the options.
func Images(cfg *config.Config) (docker.Images, error) {
	images, err := docker.ParseOverrides(string(cfg.AI.RunnerImageOverrides.JSON))
	if images.Default == "" {
		images.Default = cfg.AI.RunnerImage
	}
	return images, err
}

// Check adds the models that the node would serve, the notices and every problem,
// as part of `tutti config check`; the problems are what keeps models from being served.
func Check(ctx context.Context, check *config.Check) (problems error) {
	cfg := check.Config
	if !cfg.Roles.AIWorker || cfg.AI.Models == "" {
		return nil
	}
	devices, noDevices := GPUs(cfg, FindGPUs(ctx, cfg.Transcoding.Devices), device.NewBudget())
	list, notices, wrong := Load(cfg, devices)
	images, badImages := Images(cfg)
	var b strings.Builder
	_ = list.WriteCheck(&b, func(e *models.Entry) string { // a Builder takes everything
		name, err := images.For(e.Model.Capability.Pipeline(), e.Model.ID, e.Image)
		if err != nil {
			return "no image known"
		}
		return name
	})
	check.Models = b.String()
	for _, n := range notices {
		check.ModelNotices = append(check.ModelNotices, fmt.Sprint(n))
	}
	if problems = errors.Join(noDevices, badImages, wrong); problems != nil {
		check.Unserved = strings.Split(problems.Error(), "\n")
	}
	return problems
}

// readModelsFile reads a regular file, not much further than any of these files
// may be long.
func readModelsFile(path string) ([]byte, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not a file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, models.MaxFileBytes+1))
}

// MakeDir makes the models directory and returns its absolute path. The error is
// ModelsDirUnusable.
func MakeDir(cfg *config.Config) (string, error) {
	dir, err := filepath.Abs(Dir(cfg))
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return "", fault.Wrap(fault.ModelsDirUnusable, "make the models directory", err)
	}
	return dir, nil
}
