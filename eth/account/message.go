package account

import (
	"encoding/json"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/signer/core/apitypes"

	"github.com/tuttinode/tutti/core/fault"
)

// SignatureLength is r, s and v.
const SignatureLength = 65

// SignMessage signs bytes as a personal message (EIP-191), which can never be a
// transaction. v is 27 or 28.
func (s *Signer) SignMessage(message []byte) ([]byte, error) {
	return s.sign(accounts.TextHash(message))
}

// SignTypedData signs a typed structure (EIP-712) given as JSON. Text that is no
// such structure is the fault TypedDataInvalid.
func (s *Signer) SignTypedData(document []byte) ([]byte, error) {
	var data apitypes.TypedData
	if err := json.Unmarshal(document, &data); err != nil {
		return nil, fault.Wrap(fault.TypedDataInvalid, "sign typed data", err)
	}
	hash, _, err := apitypes.TypedDataAndHash(data)
	if err != nil {
		return nil, fault.Wrap(fault.TypedDataInvalid, "sign typed data", err)
	}
	return s.sign(hash)
}

func (s *Signer) sign(hash []byte) ([]byte, error) {
	key, err := s.private()
	if err != nil {
		return nil, err
	}
	sig, err := crypto.Sign(hash, key)
	if err != nil {
		return nil, fault.Wrap(fault.Unexpected, "sign", err)
	}
	sig[SignatureLength-1] += 27
	return sig, nil
}
