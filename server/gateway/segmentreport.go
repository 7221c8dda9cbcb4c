package gateway

import (
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/telemetry"
)

// reportSegment reports a segment to the operator's service for the health of streams. Segments that the client broke
// off, and those that no client may cause at will, are not reported.
func (g *Gateway) reportSegment(p *push, took time.Duration, err error) {
	if g.opt.Segments == nil || p.attempts.count == 0 && fault.CodeOf(err) != fault.NoSessionsAvailable {
		return
	}
	name := strconv.FormatInt(int64(p.req.Number), 10) + p.req.Format.Ext()
	g.opt.Segments.SegmentDone(&telemetry.Segment{
		Manifest: p.stream.id, Name: name, Number: int64(p.req.Number), Duration: p.plays, Bytes: len(p.data),
		Began: p.at, Took: took, Success: err == nil, Attempts: p.attempts.all,
	})
}
