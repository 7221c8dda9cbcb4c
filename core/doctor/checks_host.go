package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/tuttinode/tutti/core/fault"
)

// What a machine must have. Below the first there is a warning, below the second the
// node does not work.
const (
	memoryWanted, memoryNeeded = 2 << 30, 512 << 20
	memoryFree                 = 256 << 20
	filesWanted, filesNeeded   = 4096, 256
)

func hostChecks() []Check {
	machine := func(w *World) Probe[Machine] { return w.Machine }
	running := func(w *World) Probe[Running] { return w.Running }
	return []Check{
		{
			Name: "host.config", Group: GroupHost, Title: "configuration is without mistakes", run: checkConfig,
			Fails: codes(fault.NoRole, fault.ContradictoryRoles, fault.RoleIncomplete, fault.FeatureMissing,
				fault.UnknownOption,
				fault.UnknownConfigKey, fault.BadOption, fault.MissingOption, fault.OptionConflict, fault.OptionRetired,
				fault.OptionUnsupported, fault.UnexpectedArgument, fault.ConfigUnreadable),
			Warns: codes(fault.ValueUnusual),
		},
		{
			Name: "host.command", Group: GroupHost, Title: "tutti is found by the shell",
			Fails: codes(fault.CommandMissing), Warns: codes(fault.CommandNotFound), run: probeCheck(machine, checkCommand),
		},
		{
			Name: "host.memory", Group: GroupHost, Title: "memory suffices",
			Fails: codes(fault.HostMemoryMissing), Warns: codes(fault.HostMemoryLow, fault.WorkerOutOfMemory),
			run: probeCheck(machine, checkMemory),
		},
		{
			Name: "host.files", Group: GroupHost, Title: "many files may be open",
			Fails: codes(fault.HostDescriptorsMissing), Warns: codes(fault.HostDescriptorsLow),
			run: probeCheck(machine, checkFiles),
		},
		{
			Name: "host.service", Group: GroupHost, Title: "a unit starts the node",
			Fails: codes(fault.ServiceUnitFailed), Warns: codes(fault.ServiceUnitMissing),
			run: probeCheck(machine, checkUnit),
		},
		{
			Name: "host.logs", Group: GroupHost, Title: "log files can be written",
			Fails: codes(fault.LogDirUnusable), Warns: codes(fault.LogLost), run: probeCheck(machine, checkLogs),
		},
		{
			Name: "host.node", Group: GroupHost, Title: "the running node is this version and answers",
			Fails: codes(fault.NodeAnswerUnreadable), Warns: codes(fault.NodeUnreachable, fault.VersionMixed),
			run: probeCheck(running, checkNode),
		},
		{
			Name: "host.conditions", Group: GroupHost, Title: "the running node has no other problem",
			catchAll: true, run: probeCheck(running, checkRest),
		},
	}
}

func checkConfig(_ context.Context, w *World) Observation {
	text := "no problems"
	switch {
	case len(w.Setup.Problems) > 0:
		text = "what is wrong with a price is said at price.unit"
	case len(w.Setup.Notices) > 0:
		text = plural(len(w.Setup.Notices), "notice") + ": " + strings.Join(w.Setup.Notices, "; ")
	}
	return withEvidence(w.Setup.Problems, text)
}

func checkCommand(_ *World, m Machine) Observation {
	switch {
	case m.OnPath != "":
		return pass(m.OnPath)
	case len(m.NotExecutable) > 0:
		return finding(fault.CommandMissing, strings.Join(m.NotExecutable, ", ")+": not executable")
	}
	return finding(fault.CommandNotFound, "no directory of PATH has it")
}

func checkMemory(_ *World, m Machine) Observation {
	seen := fmt.Sprintf("%s, %s free", bytesText(m.Memory), bytesText(m.Free))
	switch {
	case m.Memory == 0:
		return skip("the system does not report it")
	case m.Memory < memoryNeeded:
		return finding(fault.HostMemoryMissing, seen)
	case m.Memory < memoryWanted || m.Free < memoryFree:
		return finding(fault.HostMemoryLow, seen)
	}
	return pass(seen)
}

func checkFiles(_ *World, m Machine) Observation {
	seen := fmt.Sprintf("%d per process", m.Files)
	switch {
	case m.Files < filesNeeded:
		return finding(fault.HostDescriptorsMissing, seen)
	case m.Files < filesWanted:
		return finding(fault.HostDescriptorsLow, seen)
	}
	return pass(seen)
}

func checkUnit(_ *World, m Machine) Observation {
	switch {
	case m.Container:
		return skip("in a container; its engine starts it")
	case !m.Systemd:
		return skip("systemd does not run this machine")
	case m.Unit == "":
		return finding(fault.ServiceUnitMissing, "no unit names tutti")
	case m.UnitState == "failed":
		return finding(fault.ServiceUnitFailed, m.Unit+" has failed")
	case m.UnitState == "disabled":
		return finding(fault.ServiceUnitMissing, m.Unit+" is there and not enabled")
	}
	return pass(m.Unit + " is " + m.UnitState)
}

func checkLogs(w *World, m Machine) Observation {
	switch {
	case w.Setup.LogDir == "":
		return pass("to standard error")
	case m.LogDir != nil:
		return finding(fault.LogDirUnusable, firstLine(m.LogDir.Error()))
	}
	return pass(w.Setup.LogDir)
}

func checkNode(_ *World, r Running) Observation {
	switch {
	case r.Unreachable != "" && r.Up:
		return finding(fault.NodeAnswerUnreadable, r.Unreachable)
	case r.Unreachable != "":
		return finding(fault.NodeUnreachable, r.Unreachable)
	case !r.Up:
		return skip("no node runs with this configuration")
	case r.Version != r.Mine:
		return finding(fault.VersionMixed, fmt.Sprintf("the node is %s, this program %s", r.Version, r.Mine))
	}
	return pass("version " + r.Version + ", " + plural(len(r.Conditions), "condition"))
}

// checkRest reports the conditions that no other check covers, with core/fault's
// severity.
func checkRest(_ *World, r Running) Observation {
	if !r.Up {
		return skip("no node runs with this configuration")
	}
	var rest []Finding
	all := Checks()
	for _, f := range r.Conditions {
		if !claimed(all, f.Code) {
			rest = append(rest, f)
		}
	}
	return withEvidence(rest, "none")
}

// claimed reports whether another check covers a condition.
func claimed(all []Check, code fault.Code) bool {
	for i := range all {
		if !all[i].catchAll && all[i].statusOf(code) != Pass {
			return true
		}
	}
	return false
}
