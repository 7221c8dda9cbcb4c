package doctorcmd

import (
	"context"
	"io"
	"log/slog"
	"os"
	"strconv"
	"time"

	"golang.org/x/term"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/chain"
	"github.com/tuttinode/tutti/cmd/tutti/internal/media"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/cmd/tutti/nodedb"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// doctorWorld returns the world as a node with this configuration would see it.
func doctorWorld(cfg *config.Config, f *doctorFlags, notices []config.Notice, problems error) *doctor.World {
	quiet := slog.New(slog.DiscardHandler)
	o := Options{
		Config: cfg, Notices: notices, Problems: problems, Args: f.rest, Environ: f.environ, Version: process.Version,
		LockNames: nodedb.LockNames(cfg),
		LoadModels: func(devices []models.Device) (*models.Config, []models.Notice, error) {
			return modelconfig.Load(cfg, devices)
		},
		Images: func() (docker.Images, error) { return modelconfig.Images(cfg) },
		Devices: func(seen *gpus.Watcher) []models.Device {
			found, _ := modelconfig.GPUs(cfg, seen, device.NewBudget())
			return found
		},
		StartWorker: func(ctx context.Context) (*worker.Client, error) {
			return media.StartWorker(ctx, cfg, quiet, core.NopRecorder{})
		},
		Passphrase: func() (core.Secret, error) { return chain.GivenPassphrase(cfg) },
		Now:        time.Now,
	}
	if lookup := cfg.Addresses.PublicIPLookup; lookup != "none" && cfg.Addresses.Service.IsZero() &&
		!cfg.Chain.Offchain() {
		o.Lookup = lookup
	}
	return New(o)
}

// usualWidth is a terminal's that does not tell.
const usualWidth = 80

// styleOf returns the style of a report on an output: colors on a terminal only, and not with NO_COLOR.
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
	s.Color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return s
}
