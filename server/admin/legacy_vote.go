package admin

import (
	"net/http"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/protocol"
)

// voteRoutes sign and vote; they answer with bytes.
func voteRoutes() []legacy {
	return []legacy{
		{path: "/signMessage", chain: true, changes: true, serve: (*Server).signMessage},
		{path: "/vote", chain: true, changes: true, serve: hashOf(func(f form) (protocol.Action, error) {
			poll, err := value(f, "poll", core.ParseAddress)
			if err != nil {
				return nil, err
			}
			pick, err := value(f, "choiceID", choice(2))
			return protocol.VoteInPoll{Poll: poll, Choice: pick}, err
		})},
		{path: "/voteOnProposal", chain: true, changes: true, serve: hashOf(func(f form) (protocol.Action, error) {
			proposal, err := value(f, "proposalID", parseProposal)
			if err != nil {
				return nil, err
			}
			support, err := value(f, "support", choice(3))
			return protocol.VoteOnProposal{Proposal: proposal, Support: support, Reason: f.Get("reason")}, err
		})},
	}
}

// hashOf does an action and answers with its transaction's hash.
func hashOf(make func(form) (protocol.Action, error)) func(*Server, http.ResponseWriter, *http.Request) error {
	return func(s *Server, w http.ResponseWriter, r *http.Request) error {
		f, err := formOf(w, r)
		if err != nil {
			return err
		}
		a, err := make(f)
		if err != nil {
			return err
		}
		tx, err := s.send(r.Context(), a, false)
		if err != nil {
			return err
		}
		writeBytes(w, tx.Hash[:])
		return nil
	}
}

// typedData is the value of the header SigFormat for EIP-712 documents.
const typedData = "data/typed"

func (s *Server) signMessage(w http.ResponseWriter, r *http.Request) error {
	f, err := formOf(w, r)
	if err != nil {
		return err
	}
	message, err := f.text("message")
	if err != nil {
		return err
	}
	signer := s.opts.Chain.Signer
	if signer == nil {
		return absent("key to sign with")
	}
	sign := signer.SignMessage
	if r.Header.Get("SigFormat") == typedData {
		sign = signer.SignTypedData
	}
	signature, err := sign(r.Context(), []byte(message))
	if err != nil {
		return err
	}
	writeBytes(w, signature)
	return nil
}
