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
	disk := func(judge func(*World, Disk) Seen) func(context.Context, *World) Seen {
		return about(func(w *World) Probe[Disk] { return w.Storage }, judge)
	}
	return []Check{
		{
			Name: "storage.directory", Group: GroupStorage, Title: "the data directory is there and can be written",
			Fails: codes(fault.DataDirUnusable), look: disk(judgeDirectory),
		},
		{
			Name: "storage.mode", Group: GroupStorage, Title: "other users cannot read the data directory",
			Fails: codes(fault.DataDirWritable), Warns: codes(fault.DataDirOpen), look: disk(judgeMode),
		},
		{
			Name: "storage.space", Group: GroupStorage, Title: "its disk has free space",
			Fails: codes(fault.DataDiskFull, fault.LedgerFull), Warns: codes(fault.DataDiskLow), look: disk(judgeSpace),
		},
		{
			Name: "storage.local", Group: GroupStorage, Title: "it is on a disk of this machine", Warns: codes(fault.DataDirRemote),
			look: disk(func(_ *World, d Disk) Seen {
				if d.Remote {
					return found(fault.DataDirRemote, d.Dir+" is on "+d.Kind)
				}
				return fine(orDash(d.Kind))
			}),
		},
		{
			Name: "storage.database", Group: GroupStorage, Title: "the database is whole",
			Fails: codes(fault.LedgerDamaged, fault.LedgerFailed, fault.SpentFailed, fault.LedgerAbsent),
			Warns: codes(fault.LedgerHeight, fault.LedgerRefused, fault.KeyStoreFailed, fault.KeyFileInvalid), look: disk(func(_ *World, d Disk) Seen {
				if d.Database == "" && len(d.Findings) == 0 {
					return skip("there is none yet")
				}
				return with(d.Findings, d.Database)
			}),
		},
		{
			Name: "storage.lock", Group: GroupStorage, Title: "one process uses the data directory",
			Fails: codes(fault.DataDirInUse), Warns: codes(fault.SocketStale), look: lookLock,
		},
		{
			Name: "storage.clock", Group: GroupStorage, Title: "the clock is kept right",
			Warns: codes(fault.ClockUnsynchronized), look: about(func(w *World) Probe[Clock] { return w.Clock }, judgeClock),
		},
		{
			Name: "storage.time", Group: GroupStorage, Title: "the clock agrees with the chain", look: onChain(judgeTime),
			Fails: codes(fault.ClockWrong),
		},
	}
}

func judgeDirectory(_ *World, d Disk) Seen {
	switch {
	case d.Err != nil:
		return found(fault.DataDirUnusable, firstLine(d.Err.Error()))
	case !d.Exists:
		if d.Make == nil {
			return found(fault.DataDirUnusable, d.Dir+" is not there, and cannot be made")
		}
		// The node makes it at start.
		return Seen{Evidence: d.Dir + " is not there yet; the node makes it at start", Repair: d.Make}
	case !d.Writable:
		return found(fault.DataDirUnusable, d.Dir+" cannot be written by this user")
	}
	return fine(d.Dir)
}

func judgeMode(_ *World, d Disk) Seen {
	text := fmt.Sprintf("%s has mode %04o", d.Dir, d.Mode)
	switch {
	case !d.Exists:
		return skip("it is not there yet")
	case d.Mode == 0:
		return skip("the system has access lists instead of modes")
	case d.Mode&0o022 != 0:
		return Seen{Findings: []Finding{{Code: fault.DataDirWritable, Detail: text}}, Repair: d.Close}
	case d.Mode&0o077 != 0:
		return Seen{Findings: []Finding{{Code: fault.DataDirOpen, Detail: text}}, Repair: d.Close}
	}
	return fine(text)
}

func judgeSpace(_ *World, d Disk) Seen {
	text := fmt.Sprintf("%s of %s free", bytesText(d.Free), bytesText(d.Size))
	switch {
	case d.Size == 0:
		return skip("the file system does not report it")
	case d.Free < diskNeeded:
		return found(fault.DataDiskFull, text)
	case d.Free < diskWanted || d.Free < d.Size/100*diskPercent && d.Free < 10*diskWanted:
		return found(fault.DataDiskLow, text)
	}
	return fine(text)
}

func lookLock(ctx context.Context, w *World) Seen {
	d, err := w.Storage.Get(ctx)
	if err != nil {
		return broken(err)
	}
	if d.StaleSocket != "" {
		return Seen{Findings: []Finding{{Code: fault.SocketStale, Detail: d.StaleSocket}}, Repair: d.Rid}
	}
	if d.Holder == "" {
		return fine("no process holds it")
	}
	r, err := w.Running.Get(ctx)
	if err == nil && r.Up {
		return fine("the running node holds it (process " + d.Holder + ")")
	}
	return found(fault.DataDirInUse, "process "+d.Holder+" holds it, and does not answer at "+w.Setup.AdminAt)
}

func judgeClock(_ *World, c Clock) Seen {
	switch {
	case !c.Known:
		return skip("the kernel does not report it")
	case !c.Synchronized:
		return found(fault.ClockUnsynchronized, "the kernel's clock is not synchronised")
	case c.Off > clockOff:
		return found(fault.ClockUnsynchronized, "it may be off by "+c.Off.Round(time.Millisecond).String())
	}
	return fine("synchronised")
}

// checkTime treats a block from the future as a slow clock. One from the past may be due to an
// endpoint that is stuck, which another check covers.
func judgeTime(w *World, c ChainState) Seen {
	return c.seen(func() Seen {
		ahead := c.BlockTime.Sub(w.Now()).Round(time.Second)
		if ahead > clockWrong {
			return found(fault.ClockWrong, fmt.Sprintf("the newest block is %s in the future", ahead))
		}
		return fine("the newest block is not in the future")
	})
}
