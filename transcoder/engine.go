// Package transcoder does the media work of the node: it places sessions on
// devices, admits them by what the devices can really do, and keeps hostile
// media away from the process that holds keys.
//
// transcoder/libav does the work itself, transcoder/worker runs it in a child
// process, transcoder/pool places, watches and retries. The rest of the node
// sees only core.Transcoder.
//
// stills.go makes a video of still images, as the image-to-video pipeline answers: the PNG files
// are wrapped as they are into a QuickTime file, which the media workers read like any other
// segment. Nothing is decoded here.
package transcoder

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// Engine is the media work of one device. The in-process libav engine, the
// client of a media-worker process and the remote transcoder implement it and
// pass one contract suite (test/coretest).
//
// Jobs of different sessions may be given at once; jobs of one session never
// overlap. After Close every call fails and all native resources are gone.
type Engine interface {
	core.Transcoder
	// Device names the device: "cpu", or a GPU's index as the operator gave it.
	Device() string
	Close() error
}

// LongSegment is the playing time beyond which segments may not take every place of an
// engine, so that short ones, whose deadlines are near, always get on.
const LongSegment = 10 * time.Second

// Parallel returns how many segments an engine works on at once with so many CPU cores:
// side by side they would all take longer and hold memory all the while.
func Parallel(cores int) int { return max(cores, 2) }
