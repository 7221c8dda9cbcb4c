package transcoders

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// legacyProfiles fills the field from which old transcoders read profiles.
const legacyProfiles = "invalid"

// notification returns the message for a segment, without its input.
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

// teardown returns the message that ends a session.
func teardown(id core.SessionID) *rpc.NotifySegment {
	return &rpc.NotifySegment{SegData: &rpc.SegData{AuthToken: &rpc.AuthToken{SessionId: string(id)}}}
}

// cancellation returns the message that cancels a task at a tutti worker.
func cancellation(id remote.TaskID) *rpc.NotifySegment {
	return &rpc.NotifySegment{TaskId: int64(id), Cancel: true}
}
