package doctor_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/core/fault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAllPassInAGoodWorld(t *testing.T) {
	t.Parallel()
	all := good().run()
	if len(all) < 40 {
		t.Errorf("only %d checks", len(all))
	}
	for name, r := range all {
		switch {
		case name == "registration.worker": // an orchestrator is no worker
		case r.Status != doctor.Pass || len(r.Evidence) == 0 || r.Evidence[0] == "" || r.Code != "":
			t.Errorf("%s: %s %s %q", name, r.Status, r.Code, r.Evidence)
		}
	}
	f := good()
	f.setup = doctor.Setup{Roles: doctor.Roles{Transcoder: true}, OffChain: true, Network: "offchain", Reward: "off"}
	if r := f.run()["registration.worker"]; r.Status != doctor.Pass {
		t.Errorf("registration.worker: %+v", r)
	}
}

// problems spoil the good world in one way each.
var problems = []struct {
	check  string
	want   doctor.Status
	code   fault.Code
	says   string
	spoils func(f *worldState)
}{
	{"host.config", doctor.Fail, fault.BadOption, "-maxSessions zero", func(f *worldState) {
		f.setup.Problems = []doctor.Finding{{Code: fault.BadOption, Detail: "-maxSessions zero: not a number",
			Remedy: "write 10"}}
	}},
	{"host.command", doctor.Warn, fault.CommandNotFound, "no directory", func(f *worldState) { f.machine.OnPath = "" }},
	{"host.command", doctor.Fail, fault.CommandMissing, "/usr/bin/tutti",
		func(f *worldState) { f.machine.OnPath, f.machine.NotExecutable = "", []string{"/usr/bin/tutti"} }},
	{"host.memory", doctor.Warn, fault.HostMemoryLow, "100 MiB free",
		func(f *worldState) { f.machine.Free = 100 << 20 }},
	{"host.memory", doctor.Fail, fault.HostMemoryMissing, "256 MiB",
		func(f *worldState) { f.machine.Memory = 256 << 20 }},
	{"host.memory", doctor.Skip, "", "does not report it", func(f *worldState) { f.machine.Memory = 0 }},
	{"host.files", doctor.Warn, fault.HostDescriptorsLow, "1024", func(f *worldState) { f.machine.Files = 1024 }},
	{"host.files", doctor.Fail, fault.HostDescriptorsMissing, "64", func(f *worldState) { f.machine.Files = 64 }},
	{"host.service", doctor.Warn, fault.ServiceUnitMissing, "no unit", func(f *worldState) { f.machine.Unit = "" }},
	{"host.service", doctor.Warn, fault.ServiceUnitMissing, "not enabled",
		func(f *worldState) { f.machine.UnitState = "disabled" }},
	{"host.service", doctor.Fail, fault.ServiceUnitFailed, "failed",
		func(f *worldState) { f.machine.UnitState = "failed" }},
	{"host.service", doctor.Skip, "", "container", func(f *worldState) { f.machine.Container = true }},
	{"host.logs", doctor.Fail, fault.LogDirUnusable, "denied",
		func(f *worldState) { f.machine.LogDir = errors.New("denied") }},
	{"host.node", doctor.Warn, fault.VersionMixed, "the node is 0", func(f *worldState) { f.running.Version = "0" }},
	{"host.node", doctor.Warn, fault.NodeUnreachable, "does not answer",
		func(f *worldState) { f.running = doctor.Running{Unreachable: "it does not answer"} }},
	{"host.node", doctor.Fail, fault.NodeAnswerUnreadable, "no tutti",
		func(f *worldState) { f.running = doctor.Running{Up: true, Unreachable: "no tutti"} }},
	{"host.node", doctor.Skip, "", "no node", func(f *worldState) { f.running = doctor.Running{} }},
	{"host.conditions", doctor.Skip, "", "no node", func(f *worldState) { f.running = doctor.Running{} }},

	{"gpu.devices", doctor.Fail, fault.NoDevices, "none", gpuProblem(fault.NoDevices)},
	{"gpu.devices", doctor.Warn, fault.GPUIsMIG, "none", gpuProblem(fault.GPUIsMIG)},
	{"gpu.devices", doctor.Skip, "", "no -gpu", func(f *worldState) { f.setup.GPUs = "" }},
	{"gpu.driver", doctor.Fail, fault.DriverTooOld, "none", gpuProblem(fault.DriverTooOld)},
	{"gpu.cuda", doctor.Fail, fault.CUDALibrary, "none", gpuProblem(fault.CUDALibrary)},
	{"gpu.container", doctor.Fail, fault.GPUToolkitMissing, "none", gpuProblem(fault.GPUToolkitMissing)},
	{"gpu.encoder", doctor.Warn, fault.GPUEncoderMissing, "none", gpuProblem(fault.GPUEncoderMissing)},
	{"gpu.encoder", doctor.Pass, "", "no encoder by design", func(f *worldState) { f.gpus.Devices[0].Encodes = false }},
	{"gpu.memory", doctor.Warn, fault.GPUMemoryTaken, "GPU 0",
		func(f *worldState) { f.gpus.Devices[0].Foreign = 24<<30 - 512<<20 }},
	{"gpu.memory", doctor.Fail, fault.GPUOutOfMemory, "GPU 0",
		func(f *worldState) { f.gpus.Devices[0].Foreign = 24 << 30 }},
	{"gpu.health", doctor.Warn, fault.GPUThrottled, "heat",
		func(f *worldState) { f.gpus.Devices[0].Throttled = "heat" }},
	{"gpu.health", doctor.Fail, fault.GPUMemoryErrors, "3 memory errors",
		func(f *worldState) { f.gpus.Devices[0].Uncorrected = 3 }},

	{"media.worker", doctor.Fail, fault.DeviceTestFailed, "no H.264", func(f *worldState) {
		f.media.Findings = []doctor.Finding{{Code: fault.DeviceTestFailed, Detail: "no H.264"}}
	}},
	{"media.worker", doctor.Skip, "", "running node", func(f *worldState) { f.media = doctor.Media{} }},
	{"media.sandbox", doctor.Warn, fault.SandboxDegraded, "Landlock", func(f *worldState) {
		f.media.Findings = []doctor.Finding{{Code: fault.SandboxDegraded, Detail: "Landlock"}}
	}},
	{"media.sandbox", doctor.Fail, fault.SandboxOpen, "the network", func(f *worldState) {
		f.media.Findings = []doctor.Finding{{Code: fault.SandboxOpen, Detail: "hostile media could get at the network"}}
	}},
	{"media.sessions", doctor.Warn, fault.SessionsAboveHardware, "999 on 8",
		func(f *worldState) { f.setup.GPUs, f.setup.MaxSessions = "", 999 }},
	{"media.sessions", doctor.Warn, fault.SessionsAboveHardware, "999 on 1 GPU",
		func(f *worldState) { f.setup.MaxSessions = 999 }},
	{"media.sessions", doctor.Pass, "", "auto", func(f *worldState) { f.setup.MaxSessions = 0 }},
	{"media.capacity", doctor.Warn, fault.OrchestratorCapped, "8 of 8", func(f *worldState) { f.running.Sessions = 8 }},
	{"media.capacity", doctor.Fail, fault.NoTranscoders, "no worker", func(f *worldState) { f.running.Workers = nil }},

	{"network.ports", doctor.Fail, fault.ListenFailed, "nginx",
		func(f *worldState) { f.ports[0] = doctor.Port{Purpose: "public", Address: ":8935", Taken: "nginx"} }},
	{"network.ports", doctor.Fail, fault.ListenFailed, "denied",
		func(f *worldState) { f.ports[0] = doctor.Port{Purpose: "public", Address: ":1", Denied: "denied"} }},
	{"network.ports", doctor.Pass, "", "socket unit", func(f *worldState) {
		f.ports[0] = doctor.Port{Purpose: "public", Address: ":8935", Taken: "systemd (process 1)", Socket: true}
	}},
	{"network.admin", doctor.Fail, fault.ListenFailed, "python3", func(f *worldState) { f.ports[1].Taken = "python3" }},
	{"network.address", doctor.Warn, fault.ServiceAddrPrivate, "node", func(f *worldState) { f.setup.Private = true }},
	{"network.dns", doctor.Fail, fault.ServiceAddrUnresolved, "node.example",
		func(f *worldState) { f.address.Resolved = nil }},
	{"network.match", doctor.Fail, fault.ServiceAddrMismatch, "none", addressProblem(fault.ServiceAddrMismatch)},
	{"network.match", doctor.Warn, fault.PublicIPUnknown, "none", addressProblem(fault.PublicIPUnknown)},
	{"network.reach", doctor.Fail, fault.PortClosed, "none", addressProblem(fault.PortClosed)},
	{"network.reach", doctor.Fail, fault.ServiceAddrForeign, "none", addressProblem(fault.ServiceAddrForeign)},
	{"network.reach", doctor.Warn, fault.PortUnverified, "none", addressProblem(fault.PortUnverified)},
	{"network.reach", doctor.Skip, "", "not tried", func(f *worldState) { f.address.Reached = false }},
	{"network.certificate", doctor.Fail, fault.CertificateExpired, "2026-01-01",
		func(f *worldState) { f.cert.To = now.AddDate(0, 0, -1) }},
	{"network.certificate", doctor.Warn, fault.CertificateEnding, "2026-01-05",
		func(f *worldState) { f.cert.To = now.AddDate(0, 0, 3) }},
	{"network.certificate", doctor.Pass, "", "another",
		func(f *worldState) { f.cert.Own, f.cert.To = false, now.AddDate(0, 0, -3) }},
	{"network.certificate", doctor.Fail, fault.CertificateUnusable, "bad", func(f *worldState) {
		f.cert.Findings = []doctor.Finding{{Code: fault.CertificateUnusable, Detail: "bad"}}
	}},
	{"network.orchestrator", doctor.Fail, fault.OrchestratorUnreachable, "refused",
		func(f *worldState) { f.peers[0].Err = errors.New("refused") }},
	{"network.orchestrator", doctor.Warn, fault.OrchestratorSilent, "refused", func(f *worldState) {
		f.peers = append(f.peers, doctor.Peer{Address: "b", Err: errors.New("refused")})
	}},

	{"chain.endpoints", doctor.Fail, fault.ChainUnavailable, "none", chainProblem(fault.ChainUnavailable)},
	{"chain.endpoints", doctor.Warn, fault.RPCUnreachable, "none", chainProblem(fault.RPCUnreachable)},
	{"chain.id", doctor.Fail, fault.RPCWrongChain, "none", chainProblem(fault.RPCWrongChain)},
	{"chain.layer", doctor.Fail, fault.RPCLayerOne, "none", chainProblem(fault.RPCLayerOne)},
	{"chain.access", doctor.Fail, fault.RPCKeyRefused, "none", chainProblem(fault.RPCKeyRefused)},
	{"chain.access", doctor.Warn, fault.RPCRateLimited, "none", chainProblem(fault.RPCRateLimited)},
	{"chain.fresh", doctor.Warn, fault.RPCStale, "1m0s old",
		func(f *worldState) { f.chain.BlockTime = now.Add(-time.Minute) }},
	{"chain.fresh", doctor.Fail, fault.ChainStale, "none", chainProblem(fault.ChainStale)},
	{"chain.fresh", doctor.Skip, "", "no endpoint", func(f *worldState) { f.chain.Known = false }},
	{"chain.speed", doctor.Warn, fault.RPCSlow, "3s",
		func(f *worldState) { f.chain.Endpoints[0].Latency = 3 * time.Second }},
	{"chain.polling", doctor.Warn, fault.PollingSlow, "1m0s", func(f *worldState) { f.setup.Polling = time.Minute }},
	{"chain.spare", doctor.Warn, fault.RPCSingle, "one", func(f *worldState) { f.setup.Endpoints = 1 }},
	{"chain.contracts", doctor.Fail, fault.ControllerInvalid, "none", chainProblem(fault.ControllerInvalid)},
	{"chain.contracts", doctor.Warn, fault.ChainNotReady, "none", chainProblem(fault.ChainNotReady)},
	{"chain.round", doctor.Fail, fault.ProtocolPaused, "none", chainProblem(fault.ProtocolPaused)},
	{"chain.round", doctor.Warn, fault.RoundNotInitialized, "none", chainProblem(fault.RoundNotInitialized)},
	{"chain.round", doctor.Skip, "", "off-chain", func(f *worldState) { f.setup.OffChain = true }},

	{"keys.account", doctor.Fail, fault.AccountAmbiguous, "none", accountProblem(fault.AccountAmbiguous)},
	{"keys.account", doctor.Warn, fault.AccountMissing, "none", accountProblem(fault.AccountMissing)},
	{"keys.file", doctor.Fail, fault.AccountFileOpen, "none", accountProblem(fault.AccountFileOpen)},
	{"keys.file", doctor.Skip, "", "no key file", func(f *worldState) { f.account = doctor.Account{} }},
	{"keys.password", doctor.Fail, fault.AccountPassword, "none", accountProblem(fault.AccountPassword)},
	{"keys.password", doctor.Warn, fault.AccountPasswordMissing, "none", accountProblem(fault.AccountPasswordMissing)},
	{"keys.gas", doctor.Fail, fault.GasMoneyMissing, "0 transactions", func(f *worldState) { f.chain.GasLeft = 0 }},
	{"keys.gas", doctor.Skip, "", "could not be read", func(f *worldState) { f.chain.Ether = "" }},
	{"keys.gas", doctor.Warn, fault.GasMoneyLow, "3 transactions", func(f *worldState) { f.chain.GasLeft = 3 }},

	{"registration.orchestrator", doctor.Warn, fault.NotRegistered, "0xA",
		func(f *worldState) { f.chain.Registered = false }},
	{"registration.active", doctor.Fail, fault.InactiveOrchestrator, "1000 LPT",
		func(f *worldState) { f.chain.Active = false }},
	{"registration.active", doctor.Warn, fault.LeavingActiveSet, "none", chainProblem(fault.LeavingActiveSet)},
	{"registration.uri", doctor.Fail, fault.ServiceURIUnset, "0xA", func(f *worldState) { f.chain.URI = "" }},
	{"registration.reward", doctor.Fail, fault.RewardNotAllowed, "neither",
		func(f *worldState) { f.setup.Reward, f.chain.MayReward = "on", false }},
	{"registration.reward", doctor.Pass, "", "another process", func(f *worldState) { f.setup.Reward = "off" }},
	{"registration.worker", doctor.Fail, fault.WalletOnWorker, "reward on", func(f *worldState) {
		f.setup.Roles, f.setup.Reward = doctor.Roles{Transcoder: true}, "on"
	}},

	{"keys.redeemer", doctor.Pass, "", "certificate is checked", func(*worldState) {}},
	{"keys.redeemer", doctor.Warn, fault.RedeemerUnpinned, "redeemer.example:8935",
		func(f *worldState) { f.setup.RedeemerOpen = true }},
	{"keys.redeemer", doctor.Skip, "", "no other process", func(f *worldState) { f.setup.Redeemer = "" }},
	{"price.bound", doctor.Pass, "", "at most 2000 wei; tickets are bounded", func(*worldState) {}},
	{"price.bound", doctor.Warn, fault.PriceCapMissing, "any price is paid; tickets are bounded",
		func(f *worldState) { f.setup.MaxPrice = "" }},
	{"price.bound", doctor.Skip, "", "makes no payments", func(f *worldState) { f.setup.Roles.Gateway = false }},
	{"price.set", doctor.Warn, fault.PriceMissing, "free", func(f *worldState) { f.prices.Free = true }},
	{"price.set", doctor.Skip, "", "no price", func(f *worldState) { f.prices.Text = "" }},
	{"price.unit", doctor.Fail, fault.PriceImplausible, "none", priceProblem(fault.PriceImplausible)},
	{"price.unit", doctor.Fail, fault.PriceRoundsToZero, "none", priceProblem(fault.PriceRoundsToZero)},
	{"price.unit", doctor.Fail, fault.PriceImplausible, "-pricePerUnit 0.5", func(f *worldState) {
		f.setup.Problems = []doctor.Finding{{Code: fault.PriceImplausible,
			Detail: "-pricePerUnit 0.5: not a whole number", Remedy: "write 1200"}}
	}},
	{"host.config", doctor.Pass, "", "price.unit", func(f *worldState) {
		f.setup.Problems = []doctor.Finding{{Code: fault.PriceImplausible,
			Detail: "-pricePerUnit 0.5: not a whole number", Remedy: "write 1200"}}
	}},
	{"price.unit", doctor.Fail, fault.PriceImplausible, "-pricePerUnit 0.5", func(f *worldState) {
		f.setup.OffChain = true
		f.setup.Problems = []doctor.Finding{{Code: fault.PriceImplausible,
			Detail: "-pricePerUnit 0.5: not a whole number", Remedy: "write 1200"}}
	}},
	{"price.currency", doctor.Fail, fault.PriceCurrencyUnknown, "none", priceProblem(fault.PriceCurrencyUnknown)},
	{"price.currency", doctor.Warn, fault.PriceFeedFailing, "none", priceProblem(fault.PriceFeedFailing)},
	{"price.quotes", doctor.Warn, fault.InsufficientSenderReserve, "none",
		priceProblem(fault.InsufficientSenderReserve)},

	{"ai.models", doctor.Fail, fault.NoModels, "none", modelProblem(fault.NoModels)},
	{"ai.models", doctor.Warn, fault.ModelFieldInvalid, "none", modelProblem(fault.ModelFieldInvalid)},
	{"ai.models", doctor.Skip, "", "no models", func(f *worldState) { f.setup.Roles.AIWorker = false }},
	{"ai.verified", doctor.Fail, fault.ModelUnverified, "none", modelProblem(fault.ModelUnverified)},
	{"ai.verified", doctor.Warn, fault.ModelWarmAndCold, "none", modelProblem(fault.ModelWarmAndCold)},
	{"ai.memory", doctor.Fail, fault.WarmModelsTooLarge, "none", modelProblem(fault.WarmModelsTooLarge)},
	{"ai.docker", doctor.Fail, fault.DockerMissing, "none", dockerProblem(fault.DockerMissing)},
	{"ai.docker", doctor.Warn, fault.DockerFailed, "none", dockerProblem(fault.DockerFailed)},
	{"ai.docker", doctor.Warn, fault.ContainerSandboxDegraded, "none", dockerProblem(fault.ContainerSandboxDegraded)},
	{"ai.docker", doctor.Skip, "", "no model needs", func(f *worldState) { f.models.Managed = false }},
	{"ai.toolkit", doctor.Fail, fault.GPUToolkitMissing, "runtime", func(f *worldState) { f.docker.GPUs = false }},
	{"ai.images", doctor.Warn, fault.ImageMissing, "i:1", func(f *worldState) { f.models.Images[0].Present = false }},
	{"ai.images", doctor.Warn, fault.RunnerVersionMismatch, "old", func(f *worldState) {
		f.models.Images[0].Finding = &doctor.Finding{Code: fault.RunnerVersionMismatch, Detail: "old"}
	}},
	{"ai.images", doctor.Fail, fault.ImageOverridesInvalid, "none", modelProblem(fault.ImageOverridesInvalid)},
	{"ai.ports", doctor.Warn, fault.ContainerPortConflict, "nginx",
		func(f *worldState) { f.models.Ports[0].Taken = "nginx" }},
	{"ai.servers", doctor.Fail, fault.RunnerUnreachable, "refused",
		func(f *worldState) { f.models.Servers[0].Err = errors.New("refused") }},
	{"ai.servers", doctor.Warn, fault.RunnerAuth, "m at host",
		func(f *worldState) { f.models.Servers[0].Err = fault.New(fault.RunnerAuth, "", "no") }},
	{"ai.servers", doctor.Warn, fault.ServedModelUnlisted, "no such name",
		func(f *worldState) {
			f.models.Servers[0].Err = fault.New(fault.ServedModelUnlisted, "", "no such name")
		}},
	{"ai.servers", doctor.Warn, fault.RunnerModelMissing, "it has none",
		func(f *worldState) { f.models.Servers[0].Err = fault.New(fault.RunnerModelMissing, "", "it has none") }},
	{"ai.live", doctor.Pass, "", "2 runners, of which the node starts 1 program", func(*worldState) {}},
	{"ai.live", doctor.Warn, fault.LiveRunnerUnhealthy, "a: refused",
		func(f *worldState) { f.live[0].Health = errors.New("refused") }},
	{"ai.live", doctor.Warn, fault.LiveRunnerExited, "b: no such program",
		func(f *worldState) { f.live[1].Program = errors.New("no such program") }},
	{"ai.live", doctor.Fail, fault.LiveRunnersInvalid, "runners[0]", func(f *worldState) {
		f.liveErr = fault.New(fault.LiveRunnersInvalid, "read -liveRunnerConfig", "runners[0]: app must be trimmed")
	}},
	{"ai.live", doctor.Skip, "", "no -liveRunnerConfig", func(f *worldState) { f.setup.LiveRunners = false }},
	{"ai.weights", doctor.Warn, fault.DiskFull, "1.0 GiB", func(f *worldState) { f.models.Free = 1 << 30 }},
	{"ai.weights", doctor.Fail, fault.ModelsDirUnusable, "none", modelProblem(fault.ModelsDirUnusable)},

	{"storage.directory", doctor.Fail, fault.DataDirUnusable, "denied",
		func(f *worldState) { f.disk.Err = errors.New("denied") }},
	{"storage.directory", doctor.Fail, fault.DataDirUnusable, "cannot be made",
		func(f *worldState) { f.disk.Exists = false }},
	{"storage.directory", doctor.Fail, fault.DataDirUnusable, "by this user",
		func(f *worldState) { f.disk.Writable = false }},
	{"storage.mode", doctor.Warn, fault.DataDirOpen, "0755", func(f *worldState) { f.disk.Mode = 0o755 }},
	{"storage.mode", doctor.Fail, fault.DataDirWritable, "0777", func(f *worldState) { f.disk.Mode = 0o777 }},
	{"storage.space", doctor.Warn, fault.DataDiskLow, "1.0 GiB", func(f *worldState) { f.disk.Free = 1 << 30 }},
	{"storage.space", doctor.Fail, fault.DataDiskFull, "1 MiB", func(f *worldState) { f.disk.Free = 1 << 20 }},
	{"storage.local", doctor.Warn, fault.DataDirRemote, "NFS",
		func(f *worldState) { f.disk.Remote, f.disk.Kind = true, "NFS" }},
	{"storage.database", doctor.Fail, fault.LedgerDamaged, "none", diskProblem(fault.LedgerDamaged)},
	{"storage.database", doctor.Warn, fault.LedgerRefused, "none", diskProblem(fault.LedgerRefused)},
	{"storage.lock", doctor.Fail, fault.DataDirInUse, "process 1",
		func(f *worldState) { f.running = doctor.Running{} }},
	{"storage.lock", doctor.Warn, fault.SocketStale, "/run/a", func(f *worldState) { f.disk.StaleSocket = "/run/a" }},
	{"storage.clock", doctor.Warn, fault.ClockUnsynchronized, "not synchronized",
		func(f *worldState) { f.clock.Synchronized = false }},
	{"storage.clock", doctor.Warn, fault.ClockUnsynchronized, "9s",
		func(f *worldState) { f.clock.Off = 9 * time.Second }},
	{"storage.clock", doctor.Skip, "", "does not report it", func(f *worldState) { f.clock.Known = false }},
	{"storage.time", doctor.Fail, fault.ClockWrong, "1m0s in the future",
		func(f *worldState) { f.chain.BlockTime = now.Add(time.Minute) }},

	{"secrets.arguments", doctor.Warn, fault.SecretInArguments, "-ethUrl", func(f *worldState) {
		f.secrets = append(f.secrets, doctor.SecretLocation{Option: "ethUrl", Where: "argument"})
	}},
	{"secrets.environment", doctor.Warn, fault.SecretInEnvironment, "-ethUrl", func(f *worldState) {
		f.secrets = append(f.secrets, doctor.SecretLocation{Option: "ethUrl", Where: "environment"})
	}},
	{"secrets.files", doctor.Warn, fault.SecretFileOpen, "0640", func(f *worldState) { f.secrets[0].Mode = 0o640 }},
	{"secrets.files", doctor.Pass, "", "0640", func(f *worldState) {
		f.secrets[0].Mode, f.secrets[0].Group = 0o640,
			true
	}},
	{"secrets.files", doctor.Warn, fault.SecretFileOpen, "0644",
		func(f *worldState) { f.secrets[0].Mode, f.secrets[0].Group = 0o644, true }},
	{"secrets.files", doctor.Warn, fault.SecretFileOpen, "0644", func(f *worldState) { f.secrets[0].Mode = 0o644 }},
	{"secrets.files", doctor.Fail, fault.SecretFileWritable, "0666", func(f *worldState) { f.secrets[0].Mode = 0o666 }},
	{"secrets.token", doctor.Fail, fault.AdminTokenFile, "0640", func(f *worldState) { f.secrets[1].Mode = 0o640 }},
	{"secrets.token", doctor.Skip, "", "none yet", func(f *worldState) { f.secrets = f.secrets[:1] }},
	{"secrets.admin", doctor.Warn, fault.AdminExposed, "127", func(f *worldState) { f.setup.AdminOpen = true }},
	{"secrets.workers", doctor.Warn, fault.SecretWeak, "10", func(f *worldState) { f.setup.WorkerSecret = 10 }},
	{"secrets.workers", doctor.Fail, fault.SecretGuessable, "3", func(f *worldState) { f.setup.WorkerSecret = 3 }},
}

func one(code fault.Code) []doctor.Finding { return []doctor.Finding{{Code: code, Detail: "none"}} }

func gpuProblem(c fault.Code) func(*worldState) {
	return func(f *worldState) { f.gpus = doctor.GPUs{Findings: one(c)} }
}

func addressProblem(c fault.Code) func(*worldState) {
	return func(f *worldState) { f.address.Findings = one(c) }
}

func chainProblem(c fault.Code) func(*worldState) {
	return func(f *worldState) { f.chain.Findings = one(c) }
}

func accountProblem(c fault.Code) func(*worldState) {
	return func(f *worldState) { f.account.Findings = one(c) }
}

func priceProblem(c fault.Code) func(*worldState) {
	return func(f *worldState) { f.prices.Findings = one(c) }
}

func modelProblem(c fault.Code) func(*worldState) {
	return func(f *worldState) { f.models.Findings = one(c) }
}

func dockerProblem(c fault.Code) func(*worldState) {
	return func(f *worldState) { f.docker = doctor.Docker{Findings: one(c)} }
}

func diskProblem(c fault.Code) func(*worldState) {
	return func(f *worldState) { f.disk.Findings = one(c) }
}

func TestProblemsAreFound(t *testing.T) {
	t.Parallel()
	for _, tt := range problems {
		f := good()
		tt.spoils(f)
		r := f.run()[tt.check]
		if r.Status != tt.want || r.Code != tt.code || !strings.Contains(strings.Join(r.Evidence, "\n"), tt.says) {
			t.Errorf("%s: %s %q %q, want %s %q %q", tt.check, r.Status, r.Code, r.Evidence, tt.want, tt.code, tt.says)
		}
		if (r.Status > doctor.Skip) != (r.Remedy != "" && r.Cause != "") {
			t.Errorf("%s: remedy %q, cause %q", tt.check, r.Remedy, r.Cause)
		}
	}
}

// What a running node reports appears at the check that it belongs to, as bad as that
// says, and at no other; so every check can pass, and give each status it knows.
func TestEveryConditionOfEveryCheck(t *testing.T) {
	t.Parallel()
	owner := map[fault.Code]string{}
	for _, c := range doctor.Checks() {
		for want, list := range map[doctor.Status][]fault.Code{doctor.Fail: c.Fails, doctor.Warn: c.Warns} {
			for _, code := range list {
				if _, known := fault.Lookup(code); !known {
					t.Errorf("%s: %s has no row", c.Name, code)
				}
				f := good()
				f.running.Conditions = []doctor.Finding{{Code: code, Detail: "reported"}}
				got := f.run()
				r := got[c.Name]
				if c.Name == "registration.worker" || c.Name == "gpu.container" {
					continue
				}
				if r.Status != want || r.Code != code ||
					!strings.Contains(r.Evidence[0], "the running node reports: reported") {
					t.Errorf("%s of a running node: %s is %s %s %q", code, c.Name, r.Status, r.Code, r.Evidence)
				}
				if got["host.conditions"].Status != doctor.Pass {
					t.Errorf("%s is covered by %s and by no check", code, c.Name)
				}
				if other := owner[code]; other != "" && !shared[code] {
					t.Errorf("%s belongs to %s and to %s", code, other, c.Name)
				}
				owner[code] = c.Name
			}
		}
	}
}

// shared conditions have two sides.
var shared = map[fault.Code]bool{fault.ListenFailed: true, fault.GPUToolkitMissing: true}

func TestConditionsOfNobody(t *testing.T) {
	t.Parallel()
	f := good()
	f.running.Conditions = []doctor.Finding{{Code: fault.RegistryUnread, Detail: "b"}}
	if r := f.run()["host.conditions"]; r.Status != doctor.Warn || r.Code != fault.RegistryUnread {
		t.Errorf("%+v", r)
	}
	f.running.Conditions = []doctor.Finding{{Code: fault.RegistryUnread, Detail: "b"},
		{Code: fault.LedgerUnbalanced, Detail: "a"}}
	if r := f.run()["host.conditions"]; len(r.Evidence) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestEveryCheckCanFail(t *testing.T) {
	t.Parallel()
	have := map[string]map[doctor.Status]bool{}
	for _, tt := range problems {
		if have[tt.check] == nil {
			have[tt.check] = map[doctor.Status]bool{}
		}
		have[tt.check][tt.want] = true
	}
	for _, c := range doctor.Checks() {
		// What only a running node can tell is tested with its conditions.
		if c.Name == "keys.transactions" || c.Name == "ai.runners" || c.Name == "host.conditions" {
			continue
		}
		if !have[c.Name][doctor.Warn] && !have[c.Name][doctor.Fail] {
			t.Errorf("%s has no problem of its own in the table", c.Name)
		}
		if !strings.HasPrefix(c.Name, string(c.Group)+".") || c.Title == "" {
			t.Errorf("%s: group %s, title %q", c.Name, c.Group, c.Title)
		}
	}
}

// Each row of the network's list of symptoms has checks that exist.
func TestEverySymptomHasChecks(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range doctor.Checks() {
		if names[c.Name] {
			t.Errorf("two checks are called %s", c.Name)
		}
		names[c.Name] = true
	}
	all := doctor.Symptoms()
	if len(all) != 15 {
		t.Errorf("%d symptoms, the network lists 15", len(all))
	}
	for _, s := range all {
		if len(s.Checks) == 0 {
			t.Errorf("%q has no check", s.Text)
		}
		for _, name := range s.Checks {
			if !names[name] {
				t.Errorf("%q: there is no check %s", s.Text, name)
			}
		}
	}
}
