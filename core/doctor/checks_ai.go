package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// minWeightsSpace is the free space that the directory of weights should have.
const minWeightsSpace = 20 << 30

func aiChecks() []Check {
	wants := func(s *Setup) bool { return s.Roles.AIWorker }
	const none = "this process runs no models"
	models := func(check func(*World, Models) Observation) func(context.Context, *World) Observation {
		return skipUnless(wants, none, probeCheck(func(w *World) Probe[Models] { return w.Models }, check))
	}
	engine := func(check func(*World, Docker) Observation) func(context.Context, *World) Observation {
		docker := probeCheck(func(w *World) Probe[Docker] { return w.Docker }, check)
		return func(ctx context.Context, w *World) Observation {
			if s := models(func(_ *World,
				m Models) Observation {
				return Observation{Skipped: m.noContainers()}
			})(ctx, w); s.Skipped != "" ||
				len(s.Findings) > 0 {
				return s
			}
			return docker(ctx, w)
		}
	}
	return []Check{
		{
			Name: "ai.models", Group: GroupAI, Title: "the models file can be read",
			Fails: codes(fault.NoModels, fault.ModelsFileUnreadable, fault.ModelsFileInvalid,
				fault.VerifiedListInvalid),
			Warns: codes(fault.ModelFieldMissing, fault.ModelFieldInvalid, fault.ModelFlagsConflict,
				fault.RunnerSettingInvalid, fault.ModelDevices),
			run: models(func(_ *World, m Models) Observation {
				return withEvidence(m.Findings, fmt.Sprintf("%s, %d warm", plural(m.Entries, "model"), m.Warm))
			}),
		},
		{
			Name: "ai.verified", Group: GroupAI, Title: "pipelines and model IDs are those of the network",
			Fails: codes(fault.ModelUnverified, fault.ModelPipelineUnknown),
			Warns: codes(fault.ModelWarmAndCold, fault.ModelNotServed),
			run: models(func(_ *World, m Models) Observation {
				if m.Entries == 0 {
					return Observation{Skipped: "no models", Findings: m.Findings}
				}
				return withEvidence(m.Findings, plural(m.Entries, "model"))
			}),
		},
		{
			Name: "ai.memory", Group: GroupAI, Title: "warm models fit the GPUs",
			Fails: codes(fault.WarmModelsTooLarge, fault.ModelNoRoom, fault.ContainerOOM),
			Warns: codes(fault.RunnerOutOfMemory), run: models(func(_ *World, m Models) Observation {
				if m.Warm == 0 {
					return Observation{Skipped: "no warm models", Findings: m.Findings}
				}
				return withEvidence(m.Findings, plural(m.Warm, "warm model"))
			}),
		},
		{
			Name: "ai.docker", Group: GroupAI, Title: "the Docker Engine answers",
			run:   engine(func(_ *World, d Docker) Observation { return withEvidence(d.Findings, "Docker "+d.Version) }),
			Fails: codes(fault.DockerMissing, fault.DockerForbidden, fault.DockerIncompatible, fault.ModelNoEngine),
			Warns: codes(fault.DockerFailed, fault.ContainerSandboxDegraded),
		},
		{
			Name: "ai.toolkit", Group: GroupAI, Title: "Docker hands GPUs to containers", run: engine(checkToolkit),
			Fails: codes(fault.GPUToolkitMissing, fault.GPUDriverTooOld), Warns: codes(fault.GPUNotFound),
		},
		{
			Name: "ai.images", Group: GroupAI, Title: "runner images are there and fit this version",
			run: models(checkImages),
			Fails: codes(fault.ImageOverridesInvalid, fault.ImageNameInvalid, fault.ImageWrongPlatform,
				fault.ImageUnknown, fault.ImageDenied),
			Warns: codes(fault.ImageMissing, fault.RunnerVersionMismatch, fault.ImageMismatch, fault.ImagePullFailed),
		},
		{
			Name: "ai.ports", Group: GroupAI, Title: "ports of runner containers are free",
			run:   models(checkRunnerPorts),
			Warns: codes(fault.ContainerPortConflict, fault.ContainerNameConflict),
		},
		{
			Name: "ai.servers", Group: GroupAI, Title: "models behind a url answer", run: models(checkServers),
			Fails: codes(fault.RunnerUnreachable),
			Warns: codes(serverWarnings()...),
		},
		{
			Name: "ai.weights", Group: GroupAI, Title: "the disk has space for the models' weights",
			run:   models(checkWeights),
			Fails: codes(fault.ModelsDirUnusable), Warns: codes(fault.DiskFull),
		},
		{
			Name: "ai.runners", Group: GroupAI, Title: "the running node's models are ready",
			run:   skipUnless(wants, none, fromNode("no problem with models")),
			Fails: codes(fault.ContainerExited, fault.ContainerCannotRun, fault.ModelFailed, fault.ModelLoadTimeout),
			Warns: codes(fault.ModelUnhealthy, fault.ModelRunnerLost, fault.ContainerGone, fault.RunnerFailed,
				fault.RunnerBroke, fault.AIWorkerLost),
		},
		liveCheck(),
	}
}

func (m Models) noContainers() string {
	if !m.Managed {
		return "no model needs a container"
	}
	return ""
}

func checkToolkit(w *World, d Docker) Observation {
	switch {
	case w.Setup.GPUs == "":
		return skip("no -gpu: models run on the CPU")
	case d.Version == "":
		return Observation{Skipped: "Docker does not answer", Findings: d.Findings}
	case !d.GPUs:
		return finding(fault.GPUToolkitMissing, "the engine knows no NVIDIA runtime and no CDI device")
	}
	return withEvidence(d.Findings, "the engine has an NVIDIA runtime or device")
}

func checkImages(_ *World, m Models) Observation {
	if !m.Managed && len(m.Findings) == 0 {
		return skip(m.noContainers())
	}
	s := withEvidence(m.Findings, "")
	var names []string
	for _, i := range m.Images {
		names = append(names, i.Name)
		if i.Finding != nil {
			s.Findings = append(s.Findings, *i.Finding)
		}
		if !i.Present {
			s.Findings = append(s.Findings, Finding{Code: fault.ImageMissing, Detail: i.Name +
				" is not on this machine; the node fetches it at start"})
		}
	}
	s.Evidence = strings.Join(names, ", ")
	if s.Evidence == "" {
		s.Evidence = "the images cannot be looked at without Docker"
	}
	return s
}

func checkRunnerPorts(_ *World, m Models) Observation {
	if !m.Managed {
		return skip(m.noContainers())
	}
	var s Observation
	for _, p := range m.Ports {
		if p.Taken != "" && !p.Ours {
			s.Findings = append(s.Findings, Finding{Code: fault.ContainerPortConflict, Detail: p.Purpose + " " +
				p.Address + " is held by " + p.Taken + "; the node takes another"})
		}
	}
	s.Evidence = plural(len(m.Ports), "port") + " free or the node's"
	return s
}

// serverWarnings are the problems with a model's server that answers.
func serverWarnings() []fault.Code {
	return []fault.Code{
		fault.RunnerAuth, fault.RunnerGarbled, fault.RunnerStalled, fault.RunnerModelMissing, fault.ServedModelUnlisted,
		fault.RunnerTLS,
	}
}

func checkServers(_ *World, m Models) Observation {
	if len(m.Servers) == 0 {
		return skip("no model has a url")
	}
	var s Observation
	var good []string
	for _, p := range m.Servers {
		if p.Err == nil {
			good = append(good, p.Address)
			continue
		}
		code := fault.CodeOf(p.Err)
		if !slices.Contains(serverWarnings(), code) {
			code = fault.RunnerUnreachable
		}
		s.Findings = append(s.Findings, Finding{Code: code, Detail: p.Address + ": " + firstLine(p.Err.Error())})
	}
	s.Evidence = strings.Join(good, ", ")
	return s
}

func checkWeights(_ *World, m Models) Observation {
	if !m.Managed {
		return Observation{Skipped: m.noContainers(), Findings: m.Findings}
	}
	text := m.Dir + " has free space of " + bytesText(m.Free)
	s := withEvidence(m.Findings, text)
	if m.Free > 0 && m.Free < minWeightsSpace {
		s.Findings = append(s.Findings, Finding{Code: fault.DiskFull, Detail: text})
	}
	return s
}
