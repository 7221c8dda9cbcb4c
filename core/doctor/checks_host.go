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
			Name: "host.config", Group: GroupHost, Title: "configuration is without mistakes", look: lookConfig,
			Fails: codes(fault.NoRole, fault.ContradictoryRoles, fault.RoleIncomplete, fault.FeatureMissing, fault.UnknownOption,
				fault.UnknownConfigKey, fault.BadOption, fault.MissingOption, fault.OptionConflict, fault.OptionRetired,
				fault.OptionUnsupported, fault.UnexpectedArgument, fault.ConfigUnreadable),
			Warns: codes(fault.ValueUnusual),
		},
		{
			Name: "host.command", Group: GroupHost, Title: "tutti is found by the shell",
			Fails: codes(fault.CommandMissing), Warns: codes(fault.CommandNotFound), look: about(machine, judgeCommand),
		},
		{
			Name: "host.memory", Group: GroupHost, Title: "memory suffices",
			Fails: codes(fault.HostMemoryMissing), Warns: codes(fault.HostMemoryLow, fault.WorkerOutOfMemory), look: about(machine, judgeMemory),
		},
		{
			Name: "host.files", Group: GroupHost, Title: "many files may be open",
			Fails: codes(fault.HostDescriptorsMissing), Warns: codes(fault.HostDescriptorsLow), look: about(machine, judgeFiles),
		},
		{
			Name: "host.service", Group: GroupHost, Title: "a unit starts the node",
			Fails: codes(fault.ServiceUnitFailed), Warns: codes(fault.ServiceUnitMissing), look: about(machine, judgeUnit),
		},
		{
			Name: "host.logs", Group: GroupHost, Title: "log files can be written",
			Fails: codes(fault.LogDirUnusable), Warns: codes(fault.LogLost), look: about(machine, judgeLogs),
		},
		{
			Name: "host.node", Group: GroupHost, Title: "the running node is this version and answers",
			Fails: codes(fault.NodeAnswerUnreadable), Warns: codes(fault.NodeUnreachable, fault.VersionMixed), look: about(running, judgeNode),
		},
		{
			Name: "host.conditions", Group: GroupHost, Title: "the running node has no other problem",
			rest: true, look: about(running, judgeRest),
		},
	}
}

func lookConfig(_ context.Context, w *World) Seen {
	text := "no problems"
	switch {
	case len(w.Setup.Problems) > 0:
		text = "what is wrong with a price is said at price.unit"
	case len(w.Setup.Notices) > 0:
		text = plural(len(w.Setup.Notices), "notice") + ": " + strings.Join(w.Setup.Notices, "; ")
	}
	return with(w.Setup.Problems, text)
}

func judgeCommand(_ *World, m Machine) Seen {
	switch {
	case m.OnPath != "":
		return fine(m.OnPath)
	case len(m.NotExecutable) > 0:
		return found(fault.CommandMissing, strings.Join(m.NotExecutable, ", ")+": not executable")
	}
	return found(fault.CommandNotFound, "no directory of PATH has it")
}

func judgeMemory(_ *World, m Machine) Seen {
	seen := fmt.Sprintf("%s, %s free", bytesText(m.Memory), bytesText(m.Free))
	switch {
	case m.Memory == 0:
		return skip("the system does not report it")
	case m.Memory < memoryNeeded:
		return found(fault.HostMemoryMissing, seen)
	case m.Memory < memoryWanted || m.Free < memoryFree:
		return found(fault.HostMemoryLow, seen)
	}
	return fine(seen)
}

func judgeFiles(_ *World, m Machine) Seen {
	seen := fmt.Sprintf("%d per process", m.Files)
	switch {
	case m.Files < filesNeeded:
		return found(fault.HostDescriptorsMissing, seen)
	case m.Files < filesWanted:
		return found(fault.HostDescriptorsLow, seen)
	}
	return fine(seen)
}

func judgeUnit(_ *World, m Machine) Seen {
	switch {
	case m.Container:
		return skip("in a container; its engine starts it")
	case !m.Systemd:
		return skip("systemd does not run this machine")
	case m.Unit == "":
		return found(fault.ServiceUnitMissing, "no unit names tutti")
	case m.UnitState == "failed":
		return found(fault.ServiceUnitFailed, m.Unit+" has failed")
	case m.UnitState == "disabled":
		return found(fault.ServiceUnitMissing, m.Unit+" is there and not enabled")
	}
	return fine(m.Unit + " is " + m.UnitState)
}

func judgeLogs(w *World, m Machine) Seen {
	switch {
	case w.Setup.LogDir == "":
		return fine("to standard error")
	case m.LogDir != nil:
		return found(fault.LogDirUnusable, firstLine(m.LogDir.Error()))
	}
	return fine(w.Setup.LogDir)
}

func judgeNode(_ *World, r Running) Seen {
	switch {
	case r.Silent != "" && r.Up:
		return found(fault.NodeAnswerUnreadable, r.Silent)
	case r.Silent != "":
		return found(fault.NodeUnreachable, r.Silent)
	case !r.Up:
		return skip("no node runs with this configuration")
	case r.Version != r.Mine:
		return found(fault.VersionMixed, fmt.Sprintf("the node is %s, this program %s", r.Version, r.Mine))
	}
	return fine("version " + r.Version + ", " + plural(len(r.Conditions), "condition"))
}

// checkRest reports the conditions that no other check covers, with core/fault's
// severity.
func judgeRest(_ *World, r Running) Seen {
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
	return with(rest, "none")
}

// claimed reports whether another check covers a condition.
func claimed(all []Check, code fault.Code) bool {
	for i := range all {
		if !all[i].rest && all[i].judge(code) != Pass {
			return true
		}
	}
	return false
}
