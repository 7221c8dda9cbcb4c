package main

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/doctor/world"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/gpu"
	"github.com/tuttinode/tutti/core/health"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// doctorWorld is the world as a node with this configuration would see it.
func doctorWorld(cfg *config.Config, f *doctorFlags, notices []config.Notice, problems error) *doctor.World {
	quiet := slog.New(slog.DiscardHandler)
	n := &node{cfg: cfg, log: quiet, board: health.New(quiet, time.Now, nil)}
	o := world.Options{
		Config: cfg, Notices: notices, Problems: problems, Args: f.rest, Environ: f.environ, Version: version, LockNames: lockNames(cfg),
		LoadModels: func(devices []models.Device) (*models.Config, []models.Notice, error) {
			return loadModels(cfg, devices)
		},
		Images: func() (docker.Images, error) { return runnerImages(cfg) },
		Devices: func(seen *gpus.Watcher) []models.Device {
			found, _ := devicesForModels(cfg, seen, gpu.NewBudget())
			return found
		},
		StartWorker: func(ctx context.Context) (*worker.Client, error) { return n.startCPU(ctx, core.NopRecorder{}) },
		Passphrase:  func() (core.Secret, error) { return givenPassphrase(cfg) },
		Now:         time.Now,
	}
	if lookup := cfg.Addresses.PublicIPLookup; lookup != "none" && cfg.Addresses.Service.IsZero() && !cfg.Chain.Offchain() {
		o.Lookup = lookup
	}
	return world.New(o)
}

// givenPassphrase is what was configured, or what systemd hands over. Nobody is asked:
// who starts the node by hand will be.
func givenPassphrase(cfg *config.Config) (core.Secret, error) {
	if !cfg.Chain.Password.IsZero() {
		return cfg.Chain.Password, nil
	}
	if dir := os.Getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		if text, err := os.ReadFile(filepath.Join(dir, credential)); err == nil {
			return core.NewSecret(strings.TrimSpace(string(text))), nil
		}
	}
	return core.Secret{}, fault.New(fault.AccountPasswordMissing, "look for the passphrase", "-ethPassword is not given; the node asks on the terminal, which a service has not")
}

// usualWidth is a terminal's that does not tell.
const usualWidth = 80

// styleOf is how a report looks there: colours on a terminal alone, unless NO_COLOR.
func styleOf(out io.Writer) doctor.Style {
	s := doctor.Style{Width: usualWidth}
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		s.Width = n
	}
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
		s.Width = w
	}
	s.Colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}
