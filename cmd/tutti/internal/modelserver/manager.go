package modelserver

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"time"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/ai/manager"
	"github.com/tuttinode/tutti/ai/models"
	"github.com/tuttinode/tutti/cmd/tutti/internal/modelconfig"
	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/cmd/tutti/internal/process"
	"github.com/tuttinode/tutti/core/privatefile"
	"github.com/tuttinode/tutti/server/http1"
	"github.com/tuttinode/tutti/server/metrics"
)

// newManager makes what serves the entries of a models file.
func (p *Part) newManager(list *models.Config, devices []models.Device) *manager.Manager {
	opt := manager.Options{
		Entries:          modelconfig.Entries(list, p.Config.AI.VerboseLogs),
		Backends:         manager.Clients(http1.New(http1.Options{}), trusting, modelconfig.Limits(p.Config), p.Log),
		Devices:          modelconfig.Devices(devices),
		ContainersPerGPU: p.Config.AI.ContainersPerGPU,
		// A job that waits for a cold model to load is in the queue too.
		Queue:   max(1, p.Config.AI.Queue),
		IdleTTL: p.Config.AI.KeepAlive,
		ImageFetcher: manager.NewPictureFetcher(manager.PictureOptions{Version: process.Version,
			HeldBytes: nodeenv.Memory(manager.DefaultHeldBytes)}),
		Board:    p.Board,
		Recorder: p.Inference(metrics.Orchestrator),
		Log:      p.Log,
		Now:      time.Now,
	}
	opt.Reserve = p.media.ReserveForModels
	if len(devices) == 0 && !p.Config.Transcoding.Devices.None() {
		opt.Find = func(ctx context.Context) ([]manager.Device, error) {
			found, err := p.findGPUs(ctx)
			return modelconfig.Devices(found), err
		}
	}
	p.addContainers(&opt, list.Managed())
	return manager.New(opt)
}

// trusting makes the transport to a server whose certificate these must have signed.
func trusting(roots *x509.CertPool) manager.Transport {
	return http1.New(http1.Options{TLS: &tls.Config{RootCAs: roots}})
}

// addContainers adds what a manager needs to start containers; those that it has none of
// yet may come with a reload. What cannot be had is the reason why its containers fail;
// servers behind a url, and video, go on.
func (p *Part) addContainers(opt *manager.Options, now bool) {
	images, err := modelconfig.Images(p.Config)
	opt.Images = manager.Images(images)
	if err != nil {
		opt.Images = ownImages(err)
	}
	if opt.ModelsDir, opt.NoContainers = filepath.Abs(modelconfig.Dir(p.Config)); now {
		opt.ModelsDir, opt.NoContainers = modelconfig.MakeDir(p.Config)
	}
	if opt.NoContainers != nil {
		return
	}
	key := filepath.Join(p.Config.Storage.DataDir, containersKey)
	engine, err := docker.Open(docker.Options{Owner: p.Config.Addresses.Service.String(), Log: p.Log, Now: time.Now,
		Key: func() ([]byte, error) {
			secret, err := privatefile.OpenSecret(key, rand.Reader)
			return secret[:], err
		}})
	if err != nil {
		opt.NoContainers = err
		return
	}
	_, err = os.Stat(key)
	opt.Engine, opt.Adopt, opt.KeepContainers, opt.Orphans = engine, true, p.Config.AI.KeepContainers, err == nil
}

// containersKey is the file in the data directory with the secret that marks the node's containers. It
// is made with the first one.
const containersKey = "containers.key"

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
