package worker

import (
	"time"

	"github.com/tuttinode/tutti/core"
)

// Limits on what a message may say. Both sides check them, so that a job that
// would be refused never reaches the worker.
const (
	maxProfiles   = 64
	maxName       = 4 << 10
	maxText       = 4 << 10
	maxNotes      = 32
	maxDimension  = 1 << 16
	maxFrames     = 1 << 32
	maxPixels     = maxFrames * maxDimension
	maxSignature  = 64 << 20
	maxDuration   = int64(24 * time.Hour)
	maxResultSize = 2 * core.MaxSegmentBytes
)
