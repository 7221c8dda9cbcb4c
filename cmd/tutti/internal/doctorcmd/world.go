package doctorcmd

import (
	"context"
	"log/slog"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/pricing"
	"github.com/tuttinode/tutti/transcoder/gpus"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// Options are the configuration, and functions that only the node's program can provide.
type Options struct {
	Config   *config.Config
	Notices  []config.Notice
	Problems error
	// Args and Environ are what the configuration was read from.
	Args, Environ []string
	Version       string
	// LockNames are the names of the node's locks in the data directory.
	LockNames []string
	// LoadModels reads -aiModels for these devices. Images returns the image of each pipeline.
	LoadModels func(devices []models.Device) (*models.Config, []models.Notice, error)
	Images     func() (docker.Images, error)
	// Devices returns the GPUs that containers may use.
	Devices func(seen *gpus.Watcher) []models.Device
	// StartWorker starts the CPU's media worker.
	StartWorker func(ctx context.Context) (*worker.Client, error)
	// Passphrase returns the passphrase of the key without asking the operator; empty for none.
	Passphrase func() (core.Secret, error)
	// Lookup is the URL of a service that answers with the public IP address; "" asks none.
	Lookup string
	Now    func() time.Time
}

// inspection is the state that the probes share.
type inspection struct {
	Options
	cfg *config.Config
	log *slog.Logger
	w   *doctor.World
	// gpus is what the driver said, for the models.
	gpus doctor.Probe[*gpus.Watcher]
	keys doctor.Probe[keyring]
	list doctor.Probe[modelList]
	// rates is set by the chain's probe, before it answers; nil where no rate is needed
	// or known.
	rates *pricing.Rates
}

// New returns the world as this process sees it. A probe runs when the first check needs it.
func New(o Options) *doctor.World {
	in := &inspection{Options: o, cfg: o.Config, log: slog.New(slog.DiscardHandler)}
	in.gpus = doctor.NewProbe(in.findGPUs)
	in.keys = doctor.NewProbe(in.readKeys)
	in.list = doctor.NewProbe(in.readModels)
	in.w = &doctor.World{
		Setup: in.setup(), Now: o.Now,
		Running: doctor.NewProbe(in.running), Machine: doctor.NewProbe(in.machine), GPUs: doctor.NewProbe(in.cards),
		Media: doctor.NewProbe(in.media),
		Ports: doctor.NewProbe(in.ports), Address: doctor.NewProbe(in.address), Cert: doctor.NewProbe(in.certificate),
		Peers: doctor.NewProbe(in.peers),
		Chain: doctor.NewProbe(in.chain), Account: doctor.NewProbe(in.account), Prices: doctor.NewProbe(in.prices),
		Live:   doctor.NewProbe(in.liveRunners),
		Models: doctor.NewProbe(in.models), Docker: doctor.NewProbe(in.docker), Storage: doctor.NewProbe(in.disk),
		Clock: doctor.NewProbe(readClock), Secrets: doctor.NewProbe(in.secrets),
	}
	return in.w
}

// up reports whether the node is running.
func (in *inspection) up(ctx context.Context) bool {
	r, err := in.w.Running.Get(ctx)
	return err == nil && r.Up
}
