package worker

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

const (
	// socketFD and arenaFD are the descriptors that a child inherits, where it inherits
	// any.
	socketFD, arenaFD = 3, 4
	// niceness makes the child yield to the control process.
	niceness = 5
	// headroom is what the coarse memory limit lies above the exact one, which
	// the control process watches: it counts thread stacks and arenas that are
	// reserved and never used.
	headroom = 4 << 30
)

// Main runs a media worker: it opens the engine for the device named in the environment,
// enters the sandbox, reports ready to the control process, and serves until that closes the
// socket. open runs before the sandbox is complete and must not touch media; it should do the
// driver's one-time work with files and helpers. The caller ends the process after Main
// returns, without waiting for work that may hang.
func Main(ctx context.Context, open func(device string) (transcoder.Engine, error)) error {
	o := sandbox.Options{Nice: niceness}
	device := os.Getenv(EnvDevice)
	o.Mounts = os.Getenv(EnvMounts) == "true"
	if user, err := strconv.Atoi(os.Getenv(EnvUser)); err == nil && user > 0 {
		o.User = user
	}
	if o.GPU = ForGPU(); o.GPU {
		o.Libraries = filepath.SplitList(os.Getenv(libraryPath))
		o.Cache = os.Getenv(cachePath)
	}
	if memory, err := strconv.ParseInt(os.Getenv(EnvMemory), 10, 64); err == nil && memory > 0 && !o.GPU {
		// GPU drivers reserve huge address ranges, so only watch bounds their memory.
		o.Memory = 2*memory + headroom
	}
	missing := sandbox.Prepare(arenaFD, o)
	conn, arena, err := inherited()
	if err != nil {
		return err
	}
	engine, err := open(device)
	if err != nil {
		// The control process reads this in place of the greeting.
		return errors.Join(err, conn.Send(TypeError, 0,
			EncodeError(fault.Wrap(fault.CodeOf(err), "open device "+device, err))))
	}
	missing = append(missing, sandbox.Enter(o)...)
	return Serve(ctx, conn, arena, engine, missing)
}
