package devices

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder"
)

// job returns a clip and what is wanted of it, in a session of its own.
func job(clip []byte, playing time.Duration, p core.Profile, renditions int) *core.TranscodeJob {
	j := &core.TranscodeJob{Session: session(0), Manifest: probeManifest, Input: clip, Duration: playing,
		Origin: "offchain"}
	for range renditions {
		j.Profiles = append(j.Profiles, p)
	}
	return j
}

// TestJob returns a job that every device can do, as a stream would send it.
func TestJob() *core.TranscodeJob {
	return job(trials[0].clip, whiteTime, trials[0].profile, 1)
}

const probeManifest = "test of a device"

// session names the n-th session of a test. Streams have random names: these are
// never theirs.
func session(n int) core.SessionID { return core.SessionID(fmt.Sprintf("test of a device %d", n)) }

// transcode runs a job in a session of its own and checks what came of it.
func transcode(ctx context.Context, e transcoder.Engine, j *core.TranscodeJob) error {
	defer e.EndSession(j.Session)
	res, err := e.Transcode(ctx, j)
	if err != nil {
		return err
	}
	return check(res, len(j.Profiles))
}

// check takes nothing on trust: a driver that answers without having worked has
// failed.
func check(res *core.TranscodeResult, want int) error {
	if res.DecodedPixels <= 0 {
		return fault.New(fault.InvalidData, probeOp, "no frame was decoded")
	}
	if len(res.Renditions) != want {
		return fault.New(fault.InvalidData, probeOp, fmt.Sprintf("%d renditions of %d", len(res.Renditions), want))
	}
	for i, r := range res.Renditions {
		if r.Frames <= 0 || r.Pixels <= 0 || len(r.Data) < core.MinRenditionBytes {
			return fault.New(fault.InvalidData, probeOp, fmt.Sprintf("rendition %d has %d frames in %d bytes", i, r.Frames,
				len(r.Data)))
		}
	}
	return nil
}

// broken reports whether an error is of a kind after which the device itself is in
// doubt, and not only what it was asked.
func broken(err error) bool {
	for _, code := range []fault.Code{
		fault.WorkerCrashed, fault.WorkerUnresponsive, fault.WorkerProtocol, fault.WorkerOutOfMemory,
		fault.WorkerQuarantined, fault.UnrecoverableState, fault.TranscodeTimeout,
	} {
		if errors.Is(err, code) {
			return true
		}
	}
	return false
}

// restart lets an engine that can be replaced begin afresh after it hung or lost its
// device; one that crashed is replaced without being asked.
func restart(e transcoder.Engine, why fault.Code) {
	if r, ok := e.(interface{ Replace(fault.Code) }); ok {
		r.Replace(why)
	}
}
