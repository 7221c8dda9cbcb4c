package upstream

import (
	"context"
	"encoding/base64"
	"errors"

	"google.golang.org/protobuf/proto"

	"github.com/tuttinode/tutti/server/rpc"
)

// maxOffer bounds the header with new terms, in bytes of base64.
const maxOffer = 64 << 10

// readOffer reads the terms that tutti nodes send with the answer to a job. They must be
// of the same orchestrator and session: anything else would redirect jobs to a node that the
// gateway did not choose.
func readOffer(header string, old Info) (Info, error) {
	if len(header) > maxOffer {
		return nil, errors.New("the offer is too large")
	}
	raw, err := base64.StdEncoding.DecodeString(header)
	if err != nil {
		return nil, err
	}
	info := new(rpc.OrchestratorInfo)
	if err := rpc.Unmarshal(raw, info); err != nil {
		return nil, err
	}
	switch {
	case info.GetTranscoder() != old.GetTranscoder(), string(info.GetAddress()) != string(old.GetAddress()):
		return nil, errors.New("the offer is another orchestrator's")
	case info.GetAuthToken().GetSessionId() != old.GetAuthToken().GetSessionId():
		return nil, errors.New("the offer is for another session")
	}
	return info, nil
}

// takeOffer keeps the new terms of an answer if they can be used. Unusable ones are ignored: the
// terms in use stay, and are renewed when they are worn.
func (c *Client) takeOffer(ctx context.Context, t *Terms, header string) {
	info, err := readOffer(header, t.Info)
	if err != nil {
		return
	}
	found := Found{Asked: t.asked, Info: info, Offer: OfferOf(info, c.now())}
	if t.wants.Usable(&found.Offer) != nil || c.payments.Usable(info) != nil {
		return
	}
	newer, err := c.terms(found, t.model, t.wants)
	if err != nil {
		return
	}
	if newer.segment = t.segment; !proto.Equal(info.GetAuthToken(), t.Info.GetAuthToken()) {
		if newer.segment, err = c.describe(ctx, newer); err != nil {
			return
		}
	}
	t.newer.Store(newer)
}

// Newer returns the terms that came with an answer to a job under these; nil without any.
func (t *Terms) Newer() *Terms { return t.newer.Load() }
