package orchestrator

import (
	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/server/rpc"
)

// fromAuthToken is nil for a missing token.
func fromAuthToken(m *rpc.AuthToken) *orchestrate.Token {
	if m == nil {
		return nil
	}
	return &orchestrate.Token{Code: m.GetToken(), Session: core.SessionID(m.GetSessionId()), Expires: m.GetExpiration()}
}

// transcodeResult returns the answer to a segment: the URLs of its renditions or the error, and
// the offer.
func (s *Server) transcodeResult(number core.SegmentNumber, in orchestrate.Info, done *orchestrate.Finished,
	err error) ([]byte, error) {
	res := &rpc.TranscodeResult{Seq: int64(number), Info: s.orchestratorInfo(&in)}
	if err != nil {
		res.Result = &rpc.TranscodeResult_Error{Error: fault.Wire(err)}
		return proto.Marshal(res)
	}
	data := &rpc.TranscodeData{
		Sig: done.Signature, Sha256: done.Hashed == signature.SHA256,
		Segments: make([]*rpc.TranscodedSegmentData, len(done.Renditions)),
	}
	for i, r := range done.Renditions {
		data.Segments[i] = &rpc.TranscodedSegmentData{Url: r.URL, Pixels: int64(r.Pixels), PerceptualHashUrl: r.SignatureURL}
	}
	res.Result = &rpc.TranscodeResult_Data{Data: data}
	return proto.Marshal(res)
}
