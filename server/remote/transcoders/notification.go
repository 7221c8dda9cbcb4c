package transcoders

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// legacyProfiles stands in the field that old transcoders read profiles from.
const legacyProfiles = "invalid"

// notice is what a transcoder is told of a segment; where its bytes are is missing.
func notification(job *core.TranscodeJob, id remote.TaskID, origin string) *rpc.NotifySegment {
	meta := &rpc.SegmentMeta{
		Manifest: job.Manifest, Number: job.Number, Duration: job.Duration, Profiles: job.Profiles,
		Capabilities: capability.Capabilities{
			Bits: job.Needs, Constraints: capability.Constraints{MinVersion: job.MinVersion},
		},
		Clip: job.Clip, Signature: job.Signature, Reinit: job.Reinit,
		Token: &rpc.AuthToken{SessionId: string(job.Session)},
	}
	return &rpc.NotifySegment{
		SegData: rpc.ToSegData(meta), TaskId: int64(id), Profiles: []byte(legacyProfiles), OrchId: origin,
	}
}

// teardown tells a transcoder that a session is over.
func teardown(id core.SessionID) *rpc.NotifySegment {
	return &rpc.NotifySegment{SegData: &rpc.SegData{AuthToken: &rpc.AuthToken{SessionId: string(id)}}}
}

// cancellation tells one of our own kind that nobody waits for a task.
func cancellation(id remote.TaskID) *rpc.NotifySegment {
	return &rpc.NotifySegment{TaskId: int64(id), Cancel: true}
}
