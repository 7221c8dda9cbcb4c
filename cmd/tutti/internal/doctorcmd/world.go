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

// Options are the configuration, and the node's own ways that only its program knows.
type Options struct {
	Config   *config.Config
	Notices  []config.Notice
	Problems error
	// Args and Environ are what the configuration was read from.
	Args, Environ []string
	Version       string
	// LockNames are the names of the node's locks in the data directory.
	LockNames []string
	// LoadModels reads -aiModels for these devices, Images says which image runs what.
	LoadModels func(devices []models.Device) (*models.Config, []models.Notice, error)
	Images     func() (docker.Images, error)
	// Devices are the GPUs that containers may be given.
	Devices func(seen *gpus.Watcher) []models.Device
	// StartWorker starts the CPU's media worker.
	StartWorker func(ctx context.Context) (*worker.Client, error)
	// Passphrase is what opens the key, without a question; empty for none.
	Passphrase func() (core.Secret, error)
	// Lookup answers with the public IP address; "" asks no service.
	Lookup string
	Now    func() time.Time
}

// look is the state that probes share.
type look struct {
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

// New returns the world as this process sees it. Nothing is looked at before a check asks.
func New(o Options) *doctor.World {
	l := &look{Options: o, cfg: o.Config, log: slog.New(slog.DiscardHandler)}
	l.gpus = doctor.NewProbe(l.findGPUs)
	l.keys = doctor.NewProbe(l.readKeys)
	l.list = doctor.NewProbe(l.readModels)
	l.w = &doctor.World{
		Setup: l.setup(), Now: o.Now,
		Running: doctor.NewProbe(l.running), Machine: doctor.NewProbe(l.machine), GPUs: doctor.NewProbe(l.cards),
		Media: doctor.NewProbe(l.media),
		Ports: doctor.NewProbe(l.ports), Address: doctor.NewProbe(l.address), Cert: doctor.NewProbe(l.certificate),
		Peers: doctor.NewProbe(l.peers),
		Chain: doctor.NewProbe(l.chain), Account: doctor.NewProbe(l.account), Prices: doctor.NewProbe(l.prices),
		Live:   doctor.NewProbe(l.liveRunners),
		Models: doctor.NewProbe(l.models), Docker: doctor.NewProbe(l.docker), Storage: doctor.NewProbe(l.disk),
		Clock: doctor.NewProbe(readClock), Secrets: doctor.NewProbe(l.secrets),
	}
	return l.w
}

// up reports whether a node runs beside.
func (l *look) up(ctx context.Context) bool {
	r, err := l.w.Running.Get(ctx)
	return err == nil && r.Up
}
