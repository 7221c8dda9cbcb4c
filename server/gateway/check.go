package gateway

import (
	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/core/videorouting"
	"github.com/tuttinode/tutti/server/gateway/upstream"
	"github.com/tuttinode/tutti/server/gateway/verify"
)

// hashing computes the hashes of renditions during their download: hashing takes longer than
// counting frames, and the network is slower than either.
type hashing []*signature.BackgroundHash

// hashed starts hashing the renditions if the result will be checked against a signature. sums must
// be called after the download.
func (g *Gateway) hashed(info upstream.Info, res *upstream.Result) hashing {
	if !g.opt.LocalVerify || signerOf(info).IsZero() {
		return nil
	}
	h := make(hashing, len(res.Renditions))
	for i := range res.Renditions {
		h[i] = signature.StartBackgroundHash(res.Hashed)
		res.Renditions[i].Sink = h[i].Add
	}
	return h
}

func (h hashing) sums() (out [][signature.HashSize]byte) {
	for _, one := range h {
		out = append(out, one.Sum())
	}
	return out
}

// check checks a result against what the orchestrator claims and what was requested. Errors are
// those of verify.Result.
func check(j *job, info upstream.Info, res *upstream.Result, data [][]byte,
	hashes func() [][signature.HashSize]byte) error {
	r := verify.Result{
		Signer: signerOf(info), Signature: res.Signature, Hashes: hashes,
		Renditions: data, Profiles: j.seg.Meta.Profiles, Source: j.source, Input: j.input,
	}
	for _, remote := range res.Renditions {
		r.Pixels = append(r.Pixels, remote.Pixels)
	}
	return r.Check()
}

// signerOf returns the account that signs an orchestrator's results: its own address, or the recipient
// of its tickets when it names none; zero without either.
func signerOf(info upstream.Info) core.Address {
	for _, raw := range [][]byte{info.GetAddress(), info.GetTicketParams().GetRecipient()} {
		if len(raw) != len(core.Address{}) {
			continue
		}
		if a := core.Address(raw); !a.IsZero() {
			return a
		}
	}
	return core.Address{}
}

// recordOutcome records how an attempt went, and logs a false result.
func (g *Gateway) recordOutcome(j *job, l *lease, how videorouting.Outcome, score float64, err error) {
	if upstream.Unpaid(err) && how != videorouting.NodeFailed {
		return // nothing was sent
	}
	now, identity := g.opt.Now(), l.Offer.Identity()
	switch how {
	case videorouting.Succeeded:
		g.measures.done(identity, j.stream.owner, score, now)
	case videorouting.StreamFailed, videorouting.Behind, videorouting.NodeFailed, videorouting.WorkFailed,
		videorouting.Lied, videorouting.WorkMismatch:
		g.measures.failed(identity, j.stream.owner, how == videorouting.NodeFailed || how == videorouting.Lied, now)
		j.stream.shared.SetReason(identity, fault.CodeOf(err))
	case videorouting.InputBad, videorouting.Stale, videorouting.Abandoned:
	}
	if how == videorouting.Lied || how == videorouting.WorkMismatch {
		g.log.Warn("orchestrator's result is not what it claims; the orchestrator is not used for a while",
			"orchestrator", l.Offer.URI, "job", j.stream.id, "segment", int64(j.seg.Meta.Number),
			"until", j.stream.shared.Until(identity, now), fault.Attr(err))
	}
}
