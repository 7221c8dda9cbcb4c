package doctorcmd

import (
	"errors"
	"strings"

	"github.com/tuttinode/tutti/config"
	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/eth/contracts"
	"github.com/tuttinode/tutti/pm"
)

// setup returns the configuration in the doctor's words.
func (in *inspection) setup() doctor.Setup {
	c := in.cfg
	s := doctor.Setup{
		Roles: doctor.Roles{
			Orchestrator: c.Roles.Orchestrator, Transcoder: c.Roles.Transcoder, AIWorker: c.Roles.AIWorker,
			Gateway: c.Roles.Gateway, Redeemer: c.Roles.Redeemer,
		},
		Network: c.Chain.Network, OffChain: c.Chain.Offchain() || c.Chain.Network == "", Serves: !c.Addresses.Service.None,
		GPUs: c.Transcoding.Devices.String(), MaxSessions: c.Limits.MaxSessions.N, Reward: reward(c),
		Endpoints: len(c.Chain.Endpoints), Polling: c.Chain.PollingInterval, Models: c.AI.Models != "",
		LiveRunners: c.LiveAI.RunnerConfig != "",
		Addresses: doctor.Addresses{AdminAddr: c.Addresses.AdminListen.Addr(),
			AdminOpen: !c.Addresses.AdminListen.Loopback()},
		LogDir:       c.Logging.Dir,
		WorkerSecret: shortest(c.Addresses.OrchSecret.Reveal()), MaxPrice: maxPrice(c), PayLimits: payLimits(c),
	}
	if c.Roles.Orchestrator && !c.Chain.RedeemerAddr.IsZero() {
		s.Redeemer, s.RedeemerOpen = c.Chain.RedeemerAddr.Authority(), c.Chain.RedeemerElsewhere() &&
			c.TLS.RedeemerCA == ""
	}
	if a := c.Addresses.Service; !a.None && !a.IsZero() {
		s.ServiceAddr, s.Host = a.String(), a.Host
		s.Private = doctor.PrivateURI(a.String()) && !contracts.Private(c.Chain.Network)
	}
	if c.Addresses.AdminSocket != "" {
		s.AdminAddr, s.AdminOpen = "unix:"+c.Addresses.AdminSocket, false
	}
	for _, n := range in.Notices {
		s.Notices = append(s.Notices, n.String())
	}
	problems, _ := errors.AsType[config.Problems](in.Problems)
	for _, p := range problems {
		s.Problems = append(s.Problems, doctor.Finding{Code: p.Code, Detail: subject(p) + p.Text, Remedy: p.Remedy})
	}
	return s
}

// maxPrice returns the most that is paid for video, "" for any price.
func maxPrice(c *config.Config) string {
	if !c.Prices.Bounded() {
		return ""
	}
	return c.Prices.Limits().General.String()
}

// payLimits returns what bounds a gateway's payments besides the price.
func payLimits(c *config.Config) string {
	t := c.Tickets
	return pm.Limits{
		MaxEV: t.MaxEV, MaxTotalEV: t.MaxTotalEV, MaxCredit: t.MaxCredit(), DepositMultiplier: t.DepositMultiplier,
	}.String()
}

// subject names the option that a problem is about.
func subject(p *config.Problem) string {
	if p.Subject == "" {
		return ""
	}
	return p.Subject + ": "
}

func reward(c *config.Config) string {
	switch c.Roles.Reward {
	case config.On:
		return "on"
	case config.Off:
		return "off"
	}
	if !c.Roles.Orchestrator {
		return "off"
	}
	return "auto"
}

// shortest returns the length of the shortest of several secrets, one per line.
func shortest(secrets string) int {
	n := 0
	for line := range strings.Lines(secrets) {
		if size := len(strings.TrimSpace(line)); size > 0 && (n == 0 || size < n) {
			n = size
		}
	}
	return n
}
