package orchestrator

import (
	"context"

	"github.com/tuttinode/tutti/cmd/tutti/internal/nodeenv"
	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/fault"
)

// ReloadSteps take over limits, the certificate, and the secrets and authority of workers.
func (p *Part) ReloadSteps() []nodeenv.Step {
	return []nodeenv.Step{p.prepareLimits, p.prepareSecrets, p.prepareCert, p.prepareWorkerCA}
}

func (p *Part) prepareLimits(_ context.Context, now, next *config.Config) (func(), error) {
	return func() {
		if now.Limits.ResultMemory != next.Limits.ResultMemory {
			p.Rules.SetResultBytes(nodeenv.ResultMemory(next))
			p.media.SetResultBytes(nodeenv.ResultMemory(next))
		}
		if now.Limits.MaxConnections != next.Limits.MaxConnections || now.Limits.PerAddress != next.Limits.PerAddress {
			p.Server.SetConnections(p.Files.Connections(next))
			if p.live != nil {
				p.live.SetRequests(liveRequests(p.Files.Connections(next)))
			}
			p.Server.SetPerAddress(next.Limits.PerAddress)
		}
	}, nil
}

// prepareSecrets takes over -orchSecret. A node that started without a secret serves no workers, and
// a reload does not change that.
func (p *Part) prepareSecrets(_ context.Context, _, next *config.Config) (func(), error) {
	if p.Workers == nil {
		return nil, nil
	}
	secrets := nodeenv.Secrets(next)
	if len(secrets) == 0 {
		return nil, fault.New(fault.BadOption, "take over -orchSecret",
			"workers authenticate with a secret, and it is empty now; restart the node to stop serving workers")
	}
	return func() { p.Workers.secrets.Set(secrets...) }, nil
}

func (p *Part) prepareCert(_ context.Context, _, next *config.Config) (func(), error) {
	if p.Cert == nil {
		return nil, nil
	}
	return p.Cert.Replace(next.TLS.Cert, next.TLS.Key)
}

func (p *Part) prepareWorkerCA(_ context.Context, _, next *config.Config) (func(), error) {
	if p.Workers == nil {
		return nil, nil
	}
	ca, err := nodeenv.WorkerCA(next.TLS.WorkerCA)
	if err != nil {
		return nil, err
	}
	return func() { p.Server.SetWorkerCA(ca) }, nil
}
