package remotesigner

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
	"github.com/tuttinode/tutti/pm/remotesigner"
	"github.com/tuttinode/tutti/server/admission"
)

// segmentPath is our own: the network's signers sign no segments.
const segmentPath = "/sign-segment"

type segmentRequest struct {
	Description []byte `json:"description"`
}

type segmentAnswer struct {
	Signature []byte `json:"signature"`
}

// signSegment signs the description of a segment or an AI job. It moves no money: what it may use was paid for before.
func (s *Server) signSegment(w http.ResponseWriter, r *http.Request) {
	var req segmentRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	if err := s.admit(r); err != nil {
		s.refuse(w, r, err, "")
		return
	}
	admission.Prove(r.Context())
	m, err := signature.SegmentMessage(common.Address(s.opt.Signer.Account()), req.Description)
	if err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	sig, err := s.opt.Sign(m)
	if err != nil {
		s.refuse(w, r, fault.Wrap(fault.PaymentUnsigned, "sign a segment", err), "")
		return
	}
	writeJSON(w, http.StatusOK, segmentAnswer{sig})
}

// admit asks the operator's service about a caller, unless its last answer still counts.
func (s *Server) admit(r *http.Request) error {
	if s.opt.Authorizer == nil {
		return nil
	}
	key := keyOf(r.Header)
	if s.admitted.has(key) {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.Context(), webhookTime)
	defer cancel()
	a, err := s.opt.Authorizer.Authorize(ctx, &remotesigner.Ask{Header: r.Header, AuthID: r.Header.Get(authHeader)},
		[]byte("{}"))
	if err != nil {
		return err
	}
	s.admitted.add(key, time.Unix(a.Expires, 0))
	return nil
}

// maxAdmitted bounds the callers that are remembered.
const maxAdmitted = 4096

// admitted are callers that the operator's service admitted, by their headers.
type admitted struct {
	now func() time.Time

	mu    sync.Mutex
	until map[[sha256.Size]byte]time.Time
}

func newAdmitted(now func() time.Time) *admitted {
	return &admitted{now: now, until: make(map[[sha256.Size]byte]time.Time)}
}

func (a *admitted) has(key [sha256.Size]byte) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.now().After(a.until[key])
}

func (a *admitted) add(key [sha256.Size]byte, until time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.until) >= maxAdmitted {
		clear(a.until)
	}
	a.until[key] = until
}

// keyOf names a caller by its headers but those that differ between requests.
func keyOf(h http.Header) [sha256.Size]byte {
	var names []string
	for name := range h {
		if name != "Content-Length" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		for _, value := range h[name] {
			text.WriteString(name + "\x00" + value + "\x00")
		}
	}
	return sha256.Sum256([]byte(text.String()))
}
