package orchestrator

import (
	"encoding/base64"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/core/orchestrate"
	"github.com/tuttinode/tutti/server/rpc"
)

// orchestratorInfo returns the message of an offer. Our own gateways recognize us by its node
// field, and hash segments as the next one allows; others read neither.
func (s *Server) orchestratorInfo(in *orchestrate.Info) *rpc.OrchestratorInfo {
	return infoMessage(in, s.opt.Version, s.opt.Nodes)
}

func infoMessage(in *orchestrate.Info, version string, nodes []string) *rpc.OrchestratorInfo {
	m := &rpc.OrchestratorInfo{
		Transcoder:   in.ServiceURI,
		Address:      in.Address[:],
		Capabilities: rpc.FromCapabilities(in.Capabilities),
		Node:         nodePrefix + version, SegmentSha256: true,
		AuthToken: &rpc.AuthToken{
			Token: in.Token.Code, SessionId: string(in.Token.Session), Expiration: in.Token.Expires,
		},
		CapabilitiesPrices: modelPrices(in.Prices),
		Hardware:           hardware(in.Hardware),
		Nodes:              nodes,
	}
	if t := in.Terms; t != nil {
		m.PriceInfo = rpc.ToPriceInfo(t.Quote.Price)
		m.TicketParams = rpc.ToTicketParams(t.Params)
	}
	return m
}

// modelPrices are prices for display: the network uses whole wei here.
func modelPrices(prices []orchestrate.ModelPrice) []*rpc.PriceInfo {
	var out []*rpc.PriceInfo
	for _, p := range prices {
		out = append(out, &rpc.PriceInfo{
			PricePerUnit: p.Price.PerUnit / max(1, p.Price.PixelsPerUnit), PixelsPerUnit: 1,
			Capability: uint32(p.Model.Capability), Constraint: p.Model.ID,
		})
	}
	return out
}

func hardware(list []orchestrate.Hardware) []*rpc.HardwareInformation {
	var out []*rpc.HardwareInformation
	for _, h := range list {
		gpus := make(map[string]*rpc.GPUComputeInfo, len(h.Devices))
		for _, id := range h.Devices {
			gpus[id] = &rpc.GPUComputeInfo{Id: id}
		}
		out = append(out, &rpc.HardwareInformation{
			Pipeline: h.Model.Capability.Pipeline(), ModelId: h.Model.ID, GpuInfo: gpus,
		})
	}
	return out
}

// addOffer puts an offer into the header of an answer that has not begun.
func (x *aiJob) addOffer(job *orchestrate.Job) {
	in, needed := job.Offer(x.r.Context())
	if !needed {
		return
	}
	msg, err := proto.Marshal(x.s.orchestratorInfo(&in))
	if err != nil {
		x.s.opt.Log.Error("offer cannot be encoded", "err", err)
		return
	}
	x.w.Header().Set(rpc.OfferHeader, base64.StdEncoding.EncodeToString(msg))
}
