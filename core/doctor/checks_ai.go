package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// minWeightsSpace is the free space that the directory of weights should have.
const weightsWanted = 20 << 30

func aiChecks() []Check {
	wants := func(s *Setup) bool { return s.Roles.AIWorker }
	const none = "this process runs no models"
	models := func(judge func(*World, Models) Seen) func(context.Context, *World) Seen {
		return when(wants, none, about(func(w *World) Probe[Models] { return w.Models }, judge))
	}
	engine := func(judge func(*World, Docker) Seen) func(context.Context, *World) Seen {
		docker := about(func(w *World) Probe[Docker] { return w.Docker }, judge)
		return func(ctx context.Context, w *World) Seen {
			if s := models(func(_ *World, m Models) Seen { return Seen{Skipped: m.noContainers()} })(ctx, w); s.Skipped != "" || len(s.Findings) > 0 {
				return s
			}
			return docker(ctx, w)
		}
	}
	return []Check{
		{
			Name: "ai.models", Group: GroupAI, Title: "the models file can be read",
			Fails: codes(fault.NoModels, fault.ModelsFileUnreadable, fault.ModelsFileInvalid, fault.VerifiedListInvalid),
			Warns: codes(fault.ModelFieldMissing, fault.ModelFieldInvalid, fault.ModelFlagsConflict, fault.RunnerSettingInvalid, fault.ModelDevices),
			look: models(func(_ *World, m Models) Seen {
				return with(m.Findings, fmt.Sprintf("%s, %d warm", plural(m.Entries, "model"), m.Warm))
			}),
		},
		{
			Name: "ai.verified", Group: GroupAI, Title: "pipelines and model IDs are those of the network",
			Fails: codes(fault.ModelUnverified, fault.ModelPipelineUnknown), Warns: codes(fault.ModelWarmAndCold, fault.RunnerModelMissing, fault.ModelNotServed),
			look: models(func(_ *World, m Models) Seen {
				if m.Entries == 0 {
					return Seen{Skipped: "no models", Findings: m.Findings}
				}
				return with(m.Findings, plural(m.Entries, "model"))
			}),
		},
		{
			Name: "ai.memory", Group: GroupAI, Title: "warm models fit the GPUs",
			Fails: codes(fault.WarmModelsTooLarge, fault.ModelNoRoom, fault.ContainerOOM),
			Warns: codes(fault.RunnerOutOfMemory), look: models(func(_ *World, m Models) Seen {
				if m.Warm == 0 {
					return Seen{Skipped: "no warm models", Findings: m.Findings}
				}
				return with(m.Findings, plural(m.Warm, "warm model"))
			}),
		},
		{
			Name: "ai.docker", Group: GroupAI, Title: "the Docker Engine answers", look: engine(func(_ *World, d Docker) Seen { return with(d.Findings, "Docker "+d.Version) }),
			Fails: codes(fault.DockerMissing, fault.DockerForbidden, fault.DockerIncompatible, fault.ModelNoEngine),
			Warns: codes(fault.DockerFailed, fault.ContainerSandboxDegraded),
		},
		{
			Name: "ai.toolkit", Group: GroupAI, Title: "Docker hands GPUs to containers", look: engine(judgeToolkit),
			Fails: codes(fault.GPUToolkitMissing, fault.GPUDriverTooOld), Warns: codes(fault.GPUNotFound),
		},
		{
			Name: "ai.images", Group: GroupAI, Title: "runner images are there and fit this version", look: models(judgeImages),
			Fails: codes(fault.ImageOverridesInvalid, fault.ImageNameInvalid, fault.ImageWrongPlatform, fault.ImageUnknown, fault.ImageDenied),
			Warns: codes(fault.ImageMissing, fault.RunnerVersionMismatch, fault.ImageMismatch, fault.ImagePullFailed),
		},
		{
			Name: "ai.ports", Group: GroupAI, Title: "ports of runner containers are free", look: models(judgeRunnerPorts),
			Warns: codes(fault.ContainerPortConflict, fault.ContainerNameConflict),
		},
		{
			Name: "ai.servers", Group: GroupAI, Title: "models behind a url answer", look: models(judgeServers),
			Fails: codes(fault.RunnerUnreachable), Warns: codes(fault.RunnerAuth, fault.RunnerGarbled, fault.RunnerStalled),
		},
		{
			Name: "ai.weights", Group: GroupAI, Title: "the disk has space for the models' weights", look: models(judgeWeights),
			Fails: codes(fault.ModelsDirUnusable), Warns: codes(fault.DiskFull),
		},
		{
			Name: "ai.runners", Group: GroupAI, Title: "the running node's models are ready", look: when(wants, none, beside("no problem with models")),
			Fails: codes(fault.ContainerExited, fault.ContainerCannotRun, fault.ModelFailed, fault.ModelLoadTimeout),
			Warns: codes(fault.ModelUnhealthy, fault.ModelRunnerLost, fault.ContainerGone, fault.RunnerFailed, fault.RunnerBroke, fault.AIWorkerLost),
		},
	}
}

func (m Models) noContainers() string {
	if !m.Managed {
		return "no model needs a container"
	}
	return ""
}

func judgeToolkit(w *World, d Docker) Seen {
	switch {
	case w.Setup.GPUs == "":
		return skip("no -gpu: models run on the processor")
	case d.Version == "":
		return Seen{Skipped: "Docker does not answer", Findings: d.Findings}
	case !d.GPUs:
		return found(fault.GPUToolkitMissing, "the engine knows no NVIDIA runtime and no CDI device")
	}
	return with(d.Findings, "the engine has an NVIDIA runtime or device")
}

func judgeImages(_ *World, m Models) Seen {
	if !m.Managed && len(m.Findings) == 0 {
		return skip(m.noContainers())
	}
	s := with(m.Findings, "")
	var names []string
	for _, i := range m.Images {
		names = append(names, i.Name)
		if i.Finding != nil {
			s.Findings = append(s.Findings, *i.Finding)
		}
		if !i.Present {
			s.Findings = append(s.Findings, Finding{Code: fault.ImageMissing, Detail: i.Name + " is not on this machine; the node fetches it at start"})
		}
	}
	s.Evidence = strings.Join(names, ", ")
	if s.Evidence == "" {
		s.Evidence = "the images cannot be looked at without Docker"
	}
	return s
}

func judgeRunnerPorts(_ *World, m Models) Seen {
	if !m.Managed {
		return skip(m.noContainers())
	}
	var s Seen
	for _, p := range m.Ports {
		if p.Taken != "" && !p.Ours {
			s.Findings = append(s.Findings, Finding{Code: fault.ContainerPortConflict, Detail: p.Purpose + " " + p.Address + " is held by " + p.Taken + "; the node takes another"})
		}
	}
	s.Evidence = plural(len(m.Ports), "port") + " free or the node's"
	return s
}

func judgeServers(_ *World, m Models) Seen {
	if len(m.Servers) == 0 {
		return skip("no model has a url")
	}
	var s Seen
	var good []string
	for _, p := range m.Servers {
		if p.Err == nil {
			good = append(good, p.Address)
			continue
		}
		code := fault.CodeOf(p.Err)
		if code != fault.RunnerAuth && code != fault.RunnerGarbled && code != fault.RunnerStalled {
			code = fault.RunnerUnreachable
		}
		s.Findings = append(s.Findings, Finding{Code: code, Detail: p.Address + ": " + firstLine(p.Err.Error())})
	}
	s.Evidence = strings.Join(good, ", ")
	return s
}

func judgeWeights(_ *World, m Models) Seen {
	if !m.Managed {
		return Seen{Skipped: m.noContainers(), Findings: m.Findings}
	}
	text := m.Dir + " has free space of " + bytesText(m.Free)
	s := with(m.Findings, text)
	if m.Free > 0 && m.Free < weightsWanted {
		s.Findings = append(s.Findings, Finding{Code: fault.DiskFull, Detail: text})
	}
	return s
}
