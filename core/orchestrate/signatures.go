package orchestrate

import (
	"errors"
	"fmt"

	"github.com/ethereum/go-ethereum/common"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/signature"
)

// Signer signs with the node's key. SignMessage signs a personal message (EIP-191);
// the last of the 65 bytes is 27 or 28. It may be called at the same time.
type Signer interface {
	Address() core.Address
	SignMessage(m signature.Message) ([]byte, error)
}

// KeySignatures implements Signatures for a node on the chain: it checks the sender of a
// request or a segment, and signs results and pings with the node's own key.
//
// It holds no key, only something that signs with one (eth/account.Signer is such
// a thing), and does not know which senders may be served. Off-chain nodes have none of it:
// they accept anything and sign nothing.
type KeySignatures struct {
	signer Signer
	proven provenCredentials
}

var _ Signatures = (*KeySignatures)(nil)

var (
	errAddress = errors.New("the address is not 20 bytes long")
	errHash    = errors.New("the segment's hash is not 32 bytes long")
	errSender  = errors.New("the payment names no sender")
	errTicket  = errors.New("what is signed is the text of a ticket")
)

// NewKeySignatures signs with signer.
func NewKeySignatures(signer Signer) *KeySignatures { return &KeySignatures{signer: signer} }

// Address returns the one whose key signs results.
func (s *KeySignatures) Address() core.Address { return s.signer.Address() }

// CheckRequest says whether sig is address's signature over a request for an offer.
func (s *KeySignatures) CheckRequest(address, sig []byte) error {
	if len(address) != len(core.Address{}) {
		return errAddress
	}
	signer := common.Address(address)
	return signature.NodeVerify(signer, signature.Request(signer), sig)
}

// CheckSegment says whether the segment, or AI job, is signed by the sender of its
// payment. Profiles' names are compared as they were sent.
func (s *KeySignatures) CheckSegment(req *SegmentRequest) error {
	hash := signature.Digest{Algorithm: req.Hashed}
	switch {
	case req.Sender.IsZero():
		return errSender
	case len(req.Hash) != len(hash.Sum) && len(req.Hash) != 0:
		return errHash
	}
	copy(hash.Sum[:], req.Hash)
	signed := signature.SegmentOver(hash, req.Manifest, req.Number, signature.ProfileNames(req.Profiles))
	if signature.IsTicket(common.Address(req.Sender), signed) {
		// Senders give their tickets to every orchestrator; they are no credentials.
		return errTicket
	}
	if len(req.Profiles) > 0 || len(req.SegmentSig) != signature.Length {
		return signature.NodeVerify(common.Address(req.Sender), signed, req.SegmentSig)
	}
	// Each segment has a hash of its own, but all AI jobs under one token have the same credentials.
	c := credential{sender: req.Sender, digest: signature.NodeDigest(signed), sig: [signature.Length]byte(req.SegmentSig)}
	if s.proven.has(&c) {
		return nil
	}
	if err := signature.NodeVerify(common.Address(req.Sender), signed, req.SegmentSig); err != nil {
		return err
	}
	s.proven.add(&c)
	return nil
}

// CheckText says whether sig is address's signature of a text, which is no ticket.
func (s *KeySignatures) CheckText(address core.Address, text, sig []byte) error {
	if signature.IsTicket(common.Address(address), text) {
		return errTicket
	}
	return signature.NodeVerify(common.Address(address), text, sig)
}

// SignPing signs the value of a ping. One that could be anything else is the fault
// PingRefused.
func (s *KeySignatures) SignPing(value []byte) ([]byte, error) {
	m, err := signature.PingMessage(value)
	if err != nil {
		return nil, &fault.Fault{Code: fault.PingRefused, Op: "sign a ping",
			Detail: fmt.Sprintf("%d bytes", len(value)), Err: err}
	}
	return s.signer.SignMessage(m)
}

// SignRenditions signs the hashes of the renditions of one segment, in profile order.
func (s *KeySignatures) SignRenditions(a signature.Algorithm, renditions []core.Rendition) ([]byte, error) {
	return s.signer.SignMessage(signature.ResultMessage(hashes(a, renditions)))
}
