package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// What a data directory's disk should have, and how far a clock may be off.
const (
	diskWanted, diskNeeded = 2 << 30, 100 << 20
	diskPercent            = 5
	clockOff, clockWrong   = 5 * time.Second, 30 * time.Second
)

func storageChecks() []Check {
	disk := func(check func(*World, Disk) Observation) func(context.Context, *World) Observation {
		return probeCheck(func(w *World) Probe[Disk] { return w.Storage }, check)
	}
	return []Check{
		{
			Name: "storage.directory", Group: GroupStorage, Title: "the data directory is there and can be written",
			Fails: codes(fault.DataDirUnusable), run: disk(checkDirectory),
		},
		{
			Name: "storage.mode", Group: GroupStorage, Title: "other users cannot read the data directory",
			Fails: codes(fault.DataDirWritable), Warns: codes(fault.DataDirOpen), run: disk(checkMode),
		},
		{
			Name: "storage.space", Group: GroupStorage, Title: "its disk has free space",
			Fails: codes(fault.DataDiskFull, fault.LedgerFull), Warns: codes(fault.DataDiskLow), run: disk(checkSpace),
		},
		{
			Name: "storage.local", Group: GroupStorage, Title: "it is on a disk of this machine",
			Warns: codes(fault.DataDirRemote),
			run: disk(func(_ *World, d Disk) Observation {
				if d.Remote {
					return finding(fault.DataDirRemote, d.Dir+" is on "+d.Kind)
				}
				return pass(orDash(d.Kind))
			}),
		},
		{
			Name: "storage.database", Group: GroupStorage, Title: "the database is whole",
			Fails: codes(fault.LedgerDamaged, fault.LedgerFailed, fault.SpentFailed, fault.LedgerAbsent),
			Warns: codes(fault.LedgerHeight, fault.LedgerRefused, fault.KeyStoreFailed, fault.KeyFileInvalid),
			run: disk(func(_ *World, d Disk) Observation {
				if d.Database == "" && len(d.Findings) == 0 {
					return skip("there is none yet")
				}
				return withEvidence(d.Findings, d.Database)
			}),
		},
		{
			Name: "storage.lock", Group: GroupStorage, Title: "one process uses the data directory",
			Fails: codes(fault.DataDirInUse), Warns: codes(fault.SocketStale), run: checkLock,
		},
		{
			Name: "storage.clock", Group: GroupStorage, Title: "the clock is kept right",
			Warns: codes(fault.ClockUnsynchronized),
			run:   probeCheck(func(w *World) Probe[Clock] { return w.Clock }, checkClock),
		},
		{
			Name: "storage.time", Group: GroupStorage, Title: "the clock agrees with the chain",
			run:   onChain(checkTime),
			Fails: codes(fault.ClockWrong),
		},
	}
}

func checkDirectory(_ *World, d Disk) Observation {
	switch {
	case d.Err != nil:
		return finding(fault.DataDirUnusable, firstLine(d.Err.Error()))
	case !d.Exists:
		if d.CreateDir == nil {
			return finding(fault.DataDirUnusable, d.Dir+" is not there, and cannot be made")
		}
		// The node makes it at start.
		return Observation{Evidence: d.Dir + " is not there yet; the node makes it at start", Repair: d.CreateDir}
	case !d.Writable:
		return finding(fault.DataDirUnusable, d.Dir+" cannot be written by this user")
	}
	return pass(d.Dir)
}

func checkMode(_ *World, d Disk) Observation {
	text := fmt.Sprintf("%s has mode %04o", d.Dir, d.Mode)
	switch {
	case !d.Exists:
		return skip("it is not there yet")
	case d.Mode == 0:
		return skip("the system has access lists instead of modes")
	case d.Mode&0o022 != 0:
		return Observation{Findings: []Finding{{Code: fault.DataDirWritable, Detail: text}}, Repair: d.RestrictMode}
	case d.Mode&0o077 != 0:
		return Observation{Findings: []Finding{{Code: fault.DataDirOpen, Detail: text}}, Repair: d.RestrictMode}
	}
	return pass(text)
}

func checkSpace(_ *World, d Disk) Observation {
	text := fmt.Sprintf("%s of %s free", bytesText(d.Free), bytesText(d.Size))
	switch {
	case d.Size == 0:
		return skip("the file system does not report it")
	case d.Free < diskNeeded:
		return finding(fault.DataDiskFull, text)
	case d.Free < diskWanted || d.Free < d.Size/100*diskPercent && d.Free < 10*diskWanted:
		return finding(fault.DataDiskLow, text)
	}
	return pass(text)
}

func checkLock(ctx context.Context, w *World) Observation {
	d, err := w.Storage.Get(ctx)
	if err != nil {
		return couldNotRun(err)
	}
	if d.StaleSocket != "" {
		return Observation{Findings: []Finding{{Code: fault.SocketStale, Detail: d.StaleSocket}},
			Repair: d.RemoveSocket}
	}
	if d.Holder == "" {
		return pass("no process holds it")
	}
	r, err := w.Running.Get(ctx)
	if err == nil && r.Up {
		return pass("the running node holds it (process " + d.Holder + ")")
	}
	return finding(fault.DataDirInUse, "process "+d.Holder+" holds it, and does not answer at "+w.Setup.AdminAddr)
}

func checkClock(_ *World, c Clock) Observation {
	switch {
	case !c.Known:
		return skip("the kernel does not report it")
	case !c.Synchronized:
		return finding(fault.ClockUnsynchronized, "the kernel's clock is not synchronized")
	case c.Off > clockOff:
		return finding(fault.ClockUnsynchronized, "it may be off by "+c.Off.Round(time.Millisecond).String())
	}
	return pass("synchronized")
}

// checkTime treats a block from the future as a slow clock. One from the past may be due to an
// endpoint that is stuck, which another check covers.
func checkTime(w *World, c ChainState) Observation {
	return c.ifKnown(func() Observation {
		ahead := c.BlockTime.Sub(w.Now()).Round(time.Second)
		if ahead > clockWrong {
			return finding(fault.ClockWrong, fmt.Sprintf("the newest block is %s in the future", ahead))
		}
		return pass("the newest block is not in the future")
	})
}
